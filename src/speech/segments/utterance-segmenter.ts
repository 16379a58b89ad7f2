import { Resampler } from '../../audio/resampler.ts';
import { FRAME_MS, frameSamples } from '../../base/frame.ts';
import type { FvadRateHz } from '../vad/fvad.ts';
import { VoiceActivity } from '../vad/voice-activity.ts';

const RATE_HZ = 16_000;
const SAMPLES_PER_MS = RATE_HZ / 1000;
/** Voiced time that opens an utterance, as short as a word. Its start is in the pre-roll. */
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
  /** A shorter utterance is filled up with silence, because recognizers refuse it: about 1 s. */
  readonly minMs: number;
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
  #lastVoicedMs = 0;

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
    if (this.#activity.isVoiced || change === 'started') this.#lastVoicedMs = this.#heardMs;
    if (!this.#isFull()) return null;
    return this.#end(this.#heardMs);
  }

  /** Ends the voice. Returns its last utterance. */
  close(): Utterance | null {
    const last = this.#activity.isSpeaking ? this.#end(this.#tailEndMs()) : null;
    this.#activity.close();
    return last;
  }

  #isFull(): boolean {
    return this.#samples.length + SAMPLES_PER_MS * FRAME_MS > this.#limits.maxMs * SAMPLES_PER_MS;
  }

  #tailEndMs(): number {
    return Math.min(this.#heardMs, this.#lastVoicedMs + TAIL_MS);
  }

  #end(endMs: number): Utterance | null {
    const startMs = this.#heardMs - this.#samples.length / SAMPLES_PER_MS;
    // Of one that was cut at its limit, nothing but silence may be left.
    const utterance = this.#lastVoicedMs > startMs ? this.#utterance(startMs, endMs) : null;
    this.#samples.clear();
    return utterance;
  }

  #utterance(startMs: number, endMs: number): Utterance {
    const samples = this.#samples.first((endMs - startMs) * SAMPLES_PER_MS);
    return { wav: wavFile(samples, this.#limits.minMs * SAMPLES_PER_MS), startMs, endMs };
  }
}

const FIRST_SAMPLES = 65_536;

/** Samples of one utterance. Its memory doubles when needed and is kept for the next utterance. */
class SampleStore {
  #samples = new Int16Array(FIRST_SAMPLES);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(samples: Int16Array): void {
    const length = this.#length + samples.length;
    if (length > this.#samples.length) this.#grow(length);
    this.#samples.set(samples, this.#length);
    this.#length = length;
  }

  /** Drops the oldest samples beyond `most`. */
  keepLast(most: number): void {
    if (this.#length <= most) return;
    this.#samples.copyWithin(0, this.#length - most, this.#length);
    this.#length = most;
  }

  /** A view of the first `length` samples, valid until the next change. */
  first(length: number): Int16Array {
    return this.#samples.subarray(0, Math.min(length, this.#length));
  }

  clear(): void {
    this.#length = 0;
  }

  #grow(least: number): void {
    const larger = new Int16Array(Math.max(least, 2 * this.#samples.length));
    larger.set(this.#samples);
    this.#samples = larger;
  }
}

const HEADER_BYTES = 44;
const FORMAT_PCM = 1;
const BYTES_PER_SAMPLE = 2;

/** Returns a WAV file at 16 kHz: mono, 16 bits, with silence after the samples if they are fewer than `least`. Source: Multimedia Programming Interface and Data Specifications 1.0, RIFF. */
function wavFile(samples: Int16Array, least: number): Uint8Array<ArrayBuffer> {
  const dataBytes = Math.max(least, samples.length) * BYTES_PER_SAMPLE;
  const file = new Uint8Array(HEADER_BYTES + dataBytes);
  const view = new DataView(file.buffer);
  const write = (at: number, tag: string) => new TextEncoder().encodeInto(tag, file.subarray(at));
  write(0, 'RIFF');
  view.setUint32(4, file.length - 8, true);
  write(8, 'WAVEfmt ');
  view.setUint32(16, 16, true);
  view.setUint16(20, FORMAT_PCM, true);
  view.setUint16(22, 1, true);
  view.setUint32(24, RATE_HZ, true);
  view.setUint32(28, RATE_HZ * BYTES_PER_SAMPLE, true);
  view.setUint16(32, BYTES_PER_SAMPLE, true);
  view.setUint16(34, 8 * BYTES_PER_SAMPLE, true);
  write(36, 'data');
  view.setUint32(40, dataBytes, true);
  new Int16Array(file.buffer, HEADER_BYTES).set(samples);
  return file;
}
