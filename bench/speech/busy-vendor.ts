import type { CorePlan } from '../bench.ts';
import { FarEnds } from './far-ends/far-ends.ts';
import { missedByVendor } from './heard-by-vendor.ts';

/** A minute and more of speech, at 60 ms a character. */
const SENTENCE = 'The quick brown fox jumps over the lazy dog, and nobody knows why it should do that. ';
/** As long as a text may be. */
const LONG_TEXT = SENTENCE.repeat(Math.floor(10_000 / SENTENCE.length));
/** Twenty minutes: all that a call may have queued. */
export const SPEECH = [LONG_TEXT, LONG_TEXT] as const;

/** The vendor of calls that speak and listen all the time. */
export class BusyVendor {
  readonly url: string;
  readonly #ends: FarEnds;

  private constructor(ends: FarEnds, url: string) {
    this.#ends = ends;
    this.url = url;
  }

  static async start(cores: CorePlan): Promise<BusyVendor> {
    const ends = FarEnds.start(cores.generators);
    return new BusyVendor(ends, await ends.vendorUrl());
  }

  /** Counts what is heard of `calls`. The returned function tells what was missed. */
  async watch(calls: number): Promise<() => Promise<readonly string[]>> {
    await this.#ends.begin();
    const begunMs = performance.now();
    return async () => {
      const { listenedMs } = await this.#ends.end();
      return missedByVendor(listenedMs, calls, performance.now() - begunMs);
    };
  }

  stop(): void {
    this.#ends.stop();
  }
}
