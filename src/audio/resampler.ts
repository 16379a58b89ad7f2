import { assert } from '../base/assert.ts';
import { speex } from './speex.ts';

/** Speex's scale is 0 to 10. Four keeps a tone more than 60 dB above the error at half the cost of seven. */
const QUALITY = 4;
const BYTES_PER_SAMPLE = 2;

/**
 * Changes the rate of one mono 16-bit stream. It keeps its place between calls, so that a stream cut into frames
 * of any length neither loses nor gains a sample: N samples in give N·out/in out, rounded up, in total. 20 ms of
 * 8,000, 16,000, 22,050, 24,000, 44,100 or 48,000 Hz give exactly 20 ms at each of the others; 11,025 Hz has
 * 220.5 samples in 20 ms and gives 220 and 221 in turn.
 */
export class Resampler {
  readonly inRateHz: number;
  readonly outRateHz: number;
  readonly #maxInputSamples: number;
  readonly #maxOutputSamples: number;
  /** Null when the rates are equal (samples pass as they are) and after `close`. */
  #wasm: WasmResampler | null = null;

  /** `maxInputSamples` bounds one call of `process`. */
  constructor(inRateHz: number, outRateHz: number, maxInputSamples: number) {
    this.inRateHz = inRateHz;
    this.outRateHz = outRateHz;
    this.#maxInputSamples = maxInputSamples;
    this.#maxOutputSamples = maxOutputSamples(inRateHz, outRateHz, maxInputSamples);
    if (inRateHz !== outRateHz) {
      this.#wasm = new WasmResampler(inRateHz, outRateHz, maxInputSamples, this.#maxOutputSamples);
    }
  }

  /** Room that `output` must have for any call of `process`, in samples. */
  get maxOutputSamples(): number {
    return this.#maxOutputSamples;
  }

  /** Converts the first `lengthSamples` of `input`; returns how many samples of `output` are now filled. */
  process(input: Int16Array, lengthSamples: number, output: Int16Array): number {
    assert(lengthSamples <= this.#maxInputSamples, 'resampler input is longer than agreed');
    if (this.#wasm) return this.#wasm.process(input, lengthSamples, output);
    assert(this.inRateHz === this.outRateHz, 'resampler is closed');
    for (let i = 0; i < lengthSamples; i++) output[i] = input[i]!;
    return lengthSamples;
  }

  /** Gives the memory back; nothing else does. Safe to call twice. */
  close(): void {
    this.#wasm?.close();
    this.#wasm = null;
  }
}

function maxOutputSamples(inRateHz: number, outRateHz: number, inputSamples: number): number {
  return Math.ceil((inputSamples * outRateHz) / inRateHz) + 1;
}

/** One resampler with its input, output and length words in a single block of the module's heap. */
class WasmResampler {
  readonly #handle: number;
  readonly #block: number;
  readonly #input: number;
  readonly #output: number;
  readonly #maxOutputSamples: number;

  constructor(inRateHz: number, outRateHz: number, maxInputSamples: number, maxOutput: number) {
    this.#maxOutputSamples = maxOutput;
    this.#block = speex._malloc(8 + (maxInputSamples + maxOutput) * BYTES_PER_SAMPLE);
    this.#input = this.#block + 8;
    this.#output = this.#input + maxInputSamples * BYTES_PER_SAMPLE;
    this.#handle = speex._speex_resampler_init(1, inRateHz, outRateHz, QUALITY, this.#block);
    assert(this.#handle !== 0, `no resampler from ${inRateHz} Hz to ${outRateHz} Hz`);
  }

  process(input: Int16Array, lengthSamples: number, output: Int16Array): number {
    const { HEAP16, HEAP32 } = speex;
    const words = this.#block >> 2;
    for (let i = 0, at = this.#input >> 1; i < lengthSamples; i++) HEAP16[at + i] = input[i]!;
    HEAP32[words] = lengthSamples;
    HEAP32[words + 1] = this.#maxOutputSamples;
    const error = speex._speex_resampler_process_interleaved_int(
      this.#handle,
      this.#input,
      this.#block,
      this.#output,
      this.#block + 4,
    );
    assert(error === 0 && HEAP32[words] === lengthSamples, 'resampler did not take its input');
    const produced = HEAP32[words + 1]!;
    for (let i = 0, at = this.#output >> 1; i < produced; i++) output[i] = HEAP16[at + i]!;
    return produced;
  }

  close(): void {
    speex._speex_resampler_destroy(this.#handle);
    speex._free(this.#block);
  }
}
