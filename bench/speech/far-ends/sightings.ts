import { type Passage, takesMs } from '../../stalls/stalls.ts';

/** A mark that somebody sent or heard, in microseconds of CLOCK_MONOTONIC. */
export interface Sighting {
  readonly mark: number;
  readonly atUs: number;
}

/** What the far ends saw between `begin` and `end`. */
export interface Sightings {
  /** Marked texts at the vendor. */
  readonly asked: readonly Sighting[];
  /** Marked audio leaving the vendor. */
  readonly spoken: readonly Sighting[];
  /** The first packet of each marked audio at a telephone. */
  readonly heard: readonly Sighting[];
  /** By telephone. */
  readonly phones: readonly PhoneSightings[];
  /** Milliseconds of audio that each connection to the vendor's recognizer brought. */
  readonly listenedMs: readonly number[];
}

export interface PhoneSightings {
  /** When the vendor got each chunk of what it says. */
  readonly chunksUs: readonly number[];
  /** When its packets come: a multiple of 20 ms away from each tick of its call. NaN without packets. */
  readonly tickUs: number;
}

/** Marks come again after a while; nothing takes so long. */
const LONGEST_US = 1_000_000;

/** The way of each mark from one place to another. */
export function passages(from: readonly Sighting[], to: readonly Sighting[]): Passage[] {
  return from.map(({ mark, atUs }) => {
    const came = to.find((other) => other.mark === mark && other.atUs >= atUs);
    const arrived = came !== undefined && came.atUs - atUs <= LONGEST_US;
    return { fromUs: atUs, untilUs: arrived ? came.atUs : Number.POSITIVE_INFINITY };
  });
}

/** How long each mark took, in milliseconds. One that did not arrive took forever. */
export function passagesMs(from: readonly Sighting[], to: readonly Sighting[]): number[] {
  return takesMs(passages(from, to));
}
