import { type MediaCounters, type MediaLeg, newMediaCounters } from '../media/media-leg.ts';
import type { PcmRings } from '../media/pcm-media.ts';
import { Doorbell } from '../rings/doorbell.ts';
import { Egress } from './egress.ts';
import { Playout } from './playout.ts';

/** Media of one call whose transport, on a bridge thread, has only PCM. */
export class PcmLeg implements MediaLeg<null, Record<never, never>> {
  readonly sampleRateHz: number;
  readonly resting = false;
  readonly onHold = false;
  readonly commands = {};
  readonly voices: readonly Playout[];
  readonly #hears: Egress;
  readonly #doorbell: Doorbell;
  /** There is no jitter buffer. */
  readonly #counters = newMediaCounters();

  constructor({ voices, hears, doorbell }: PcmRings) {
    this.sampleRateHz = hears.sampleRateHz;
    this.voices = voices.map((memory) => new Playout(memory, hears.sampleRateHz));
    this.#hears = new Egress(hears, hears.sampleRateHz);
    this.#doorbell = new Doorbell(doorbell);
  }

  get counters(): MediaCounters {
    const counters = this.#counters;
    counters.shortenedMs = this.voices.reduce((sum, { shortenedMs }) => sum + shortenedMs, 0);
    counters.lengthenedMs = this.voices.reduce((sum, { lengthenedMs }) => sum + lengthenedMs, 0);
    counters.unsent = this.#hears.overruns;
    return counters;
  }

  configure(): void {}

  push(frame: Int16Array, voiced: boolean): void {
    this.#hears.push(frame, voiced);
    this.#doorbell.ring();
  }

  close(): void {}
}

/** Opens a PCM leg. Its state is in the rings, so it resumes on another engine thread. */
export async function openPcmLeg(rings: PcmRings): Promise<PcmLeg> {
  return new PcmLeg(rings);
}
