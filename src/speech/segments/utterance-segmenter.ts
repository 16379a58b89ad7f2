import { Resampler } from '../../audio/resampler.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import type { FvadRateHz } from '../vad/fvad.ts';
import { VoiceActivity } from '../vad/voice-activity.ts';
import { SampleStore } from './sample-store.ts';
import { wavFile } from './wav.ts';

const RATE_HZ = 16_000;
const SAMPLES_PER_MS = RATE_HZ / 1000;
/** Voiced time that opens an utterance. Its start is in the pre-roll. */
const START_AFTER_MS = 60;
/** Silence that is left at the end of an utterance. */
const TAIL_MS = 200;

export interface SegmentLimits {
  /** Audio before the voice was noticed: 300 to 1,000 ms. */
  readonly preRollMs: number;
  /** Silence that ends an utterance: 500 to 800 ms. */
  readonly endAfterMs: number;
  /** Longest utterance, pre-roll included: 20 to 30 s. What is longer becomes two. */
  readonly maxMs: number;
  /** A shorter voice is dropped, because recognizers invent text for noises: about 250 ms. */
  readonly minVoicedMs: number;
}

/** One utterance. Times count from the first frame of the voice. */
export interface Utterance {
  /** 16 kHz, mono, 16 bits. */
  readonly wav: Uint8Array<ArrayBuffer>;
  readonly startMs: number;
  readonly endMs: number;
}

/** Cuts one voice into utterances, for recognizers that take one recording at a time. */
export class UtteranceSegmenter {
  readonly #limits: SegmentLimits;
  readonly #activity: VoiceActivity;
  readonly #resampler: Resampler | null;
  /** The pre-roll while nobody speaks, then the utterance. */
  readonly #samples = new SampleStore();
  #heardMs = 0;
  #voicedMs = 0;
  #lastVoicedMs = 0;
  /** Whether the utterance began in a former one, which had become too long. */
  #isRest = false;

  constructor(rateHz: FvadRateHz, limits: SegmentLimits) {
    this.#limits = limits;
    const { endAfterMs } = limits;
    this.#activity = new VoiceActivity({ rateHz, startAfterMs: START_AFTER_MS, endAfterMs });
    this.#resampler = rateHz === RATE_HZ ? null : new Resampler(rateHz, RATE_HZ, frameSamples(rateHz));
  }

  /** Takes the next 20 ms of the voice, silence included. Returns the utterance that ended with them. */
  hear(samples: Int16Array): Utterance | null {
    const change = this.#activity.hear(samples);
    this.#samples.append(this.#resampler?.process(samples, samples.length) ?? samples);
    this.#heardMs += FRAME_MS;
    if (change === 'ended') return this.#end(this.#tailEndMs());
    if (!this.#activity.isSpeaking) {
      this.#samples.keepLast(this.#limits.preRollMs * SAMPLES_PER_MS);
      return null;
    }
    this.#count(change === 'started');
    if (!this.#isFull()) return null;
    const utterance = this.#end(this.#heardMs);
    this.#isRest = true;
    return utterance;
  }

  /** Ends the voice. Returns its last utterance if it is long enough. */
  close(): Utterance | null {
    const last = this.#activity.isSpeaking ? this.#end(this.#tailEndMs()) : null;
    this.#activity.close();
    return last;
  }

  #count(isStart: boolean): void {
    if (!this.#activity.isVoiced) return;
    this.#voicedMs += isStart ? START_AFTER_MS : FRAME_MS;
    this.#lastVoicedMs = this.#heardMs;
  }

  #isFull(): boolean {
    return this.#samples.length + SAMPLES_PER_MS * FRAME_MS > this.#limits.maxMs * SAMPLES_PER_MS;
  }

  #tailEndMs(): number {
    return Math.min(this.#heardMs, this.#lastVoicedMs + TAIL_MS);
  }

  #end(endMs: number): Utterance | null {
    const leastMs = this.#isRest ? START_AFTER_MS : this.#limits.minVoicedMs;
    const utterance = this.#voicedMs >= leastMs ? this.#utterance(endMs) : null;
    this.#samples.clear();
    this.#voicedMs = 0;
    this.#isRest = false;
    return utterance;
  }

  #utterance(endMs: number): Utterance {
    const startMs = this.#heardMs - this.#samples.length / SAMPLES_PER_MS;
    const samples = this.#samples.first((endMs - startMs) * SAMPLES_PER_MS);
    return { wav: wavFile(samples, RATE_HZ), startMs, endMs };
  }
}
