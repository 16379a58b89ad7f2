import { encodeUlaw } from '../../audio/g711.ts';
import { Resampler } from '../../audio/resampler.ts';
import { frameSamples } from '../../base/frame.ts';
import type { AudioFormat } from '../audio-format.ts';

/** Turns frames of 20 ms into chunks as a recognizer takes them. */
export class Chunker {
  readonly #encoding: AudioFormat['encoding'];
  readonly #resampler: Resampler | null;
  readonly #chunk: Int16Array;
  readonly #give: (chunk: Uint8Array) => void;
  #length = 0;

  constructor(
    inRateHz: number,
    { format, chunkMs }: { readonly format: AudioFormat; readonly chunkMs: number },
    give: (chunk: Uint8Array) => void,
  ) {
    const { encoding, sampleRateHz } = format;
    this.#encoding = encoding;
    this.#resampler =
      sampleRateHz === inRateHz ? null : new Resampler(inRateHz, sampleRateHz, frameSamples(inRateHz));
    this.#chunk = new Int16Array((sampleRateHz * chunkMs) / 1000);
    this.#give = give;
  }

  add(frame: Int16Array): void {
    const samples = this.#resampler === null ? frame : this.#resampler.process(frame, frame.length);
    let full: Uint8Array | null = null;
    for (let i = 0; i < samples.length; i++) {
      this.#chunk[this.#length] = samples[i] as number;
      this.#length++;
      // A chunk is longer than a frame.
      if (this.#length === this.#chunk.length) full = this.#take();
    }
    if (full !== null) this.#give(full);
  }

  /** Gives what is left, filled up with silence. */
  end(): void {
    if (this.#length > 0) this.#give(this.#take());
  }

  #take(): Uint8Array {
    const chunk = this.#chunk;
    chunk.fill(0, this.#length);
    this.#length = 0;
    if (this.#encoding === 's16le') return new Uint8Array(chunk.slice().buffer);
    const bytes = new Uint8Array(chunk.length);
    encodeUlaw(chunk, chunk.length, bytes, 0);
    return bytes;
  }
}
