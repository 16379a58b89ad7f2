import { assert } from '../base/assert.ts';
import { MAX_FILTER_BYTES, type PolyphaseFilter, polyphaseFilter } from './polyphase-filter.ts';
import { type WasmMemory, wasmInstance, wasmModule } from './wasm.ts';

/**
 * Resamples one mono 16-bit stream with about 70 dB of stop-band attenuation. It keeps its position between calls, so a
 * stream split into pieces of any length neither loses nor gains a sample: N input samples yield N·out/in output
 * samples in total, rounded up. 20 ms of 8,000, 16,000, 22,050, 24,000, 44,100 or 48,000 Hz yield exactly 20 ms at each
 * of the others. 11,025 Hz has 220.5 samples in 20 ms and alternates between 220 and 221.
 */
export class Resampler {
  readonly #maxInputSamples: number;
  readonly #filter: PolyphaseFilter;
  /** The last input samples of earlier calls: those needed by the next call, plus up to three more. */
  readonly #history: Int16Array;
  /** `#history`, four samples per element. */
  readonly #historyFours: BigInt64Array;
  /** Position of the next output sample. */
  readonly #place: WindowPlace = { at: 0, phase: 0 };

  /** Creates a resampler. `maxInputSamples` limits one call of `process`. */
  constructor(inRateHz: number, outRateHz: number, maxInputSamples: number) {
    assert(inRateHz !== outRateHz, 'equal rates need no resampler');
    this.#maxInputSamples = maxInputSamples;
    this.#filter = polyphaseFilter(inRateHz, outRateHz);
    this.#historyFours = new BigInt64Array(Math.ceil((this.#filter.taps - 1) / 4));
    this.#history = new Int16Array(this.#historyFours.buffer);
    assert(this.#history.length + maxInputSamples <= MAX_WINDOW_SAMPLES, 'resampler input is too long');
    const maxOutputSamples = Math.ceil((maxInputSamples * outRateHz) / inRateHz) + 1;
    assert(maxOutputSamples <= MAX_OUTPUT_SAMPLES, 'resampler output is too long');
  }

  /**
   * Converts the first `lengthSamples` of `input`. The result is in memory shared by all resamplers of the thread: copy
   * it before the next call of any of them.
   */
  process(input: Int16Array, lengthSamples: number): Int16Array {
    assert(lengthSamples <= this.#maxInputSamples, 'resampler input is longer than agreed');
    this.#fillWindow(input, lengthSamples);
    const produced = convolveWindow(this.#filter, this.#history.length, lengthSamples, this.#place);
    this.#keepHistory(lengthSamples);
    this.#moveOn(lengthSamples, produced);
    return convolved(produced);
  }

  #fillWindow(input: Int16Array, lengthSamples: number): void {
    const history = this.#historyFours;
    const from = this.#history.length;
    for (let i = 0; i < history.length; i++) windowFours[i] = history[i] as bigint;
    if (lengthSamples === input.length) windowSamples.set(input, from);
    else for (let i = 0; i < lengthSamples; i++) windowSamples[from + i] = input[i] as number;
  }

  /** Keeps the end of the window for the next call. */
  #keepHistory(lengthSamples: number): void {
    const fours = this.#historyFours;
    const history = this.#history;
    if (lengthSamples % 4 > 0)
      for (let i = 0; i < history.length; i++) history[i] = windowSamples[lengthSamples + i] as number;
    else for (let i = 0; i < fours.length; i++) fours[i] = windowFours[(lengthSamples >> 2) + i] as bigint;
  }

  #moveOn(lengthSamples: number, produced: number): void {
    const { up, down } = this.#filter;
    const place = this.#place;
    const steps = place.at * up + place.phase + produced * down;
    place.at = Math.floor(steps / up) - lengthSamples;
    place.phase = steps % up;
  }
}

/** Memory layout of the module: input samples, output samples, then slots of one filter each. See convolve.wat. */
const INPUT_BYTES = 16_384;
const OUTPUT_BYTES = 49_152;
const SLOTS = 16;
const FIRST_SLOT = INPUT_BYTES + OUTPUT_BYTES;

export const MAX_WINDOW_SAMPLES = INPUT_BYTES / Int16Array.BYTES_PER_ELEMENT;
export const MAX_OUTPUT_SAMPLES = OUTPUT_BYTES / Int16Array.BYTES_PER_ELEMENT;

interface ConvolveExports {
  readonly memory: WasmMemory;
  convolve(
    window: number,
    lengthSamples: number,
    output: number,
    filter: number,
    taps: number,
    phases: number,
    up: number,
    wholeStep: number,
    phaseStep: number,
    at: number,
    phase: number,
  ): number;
}

const convolveModule = wasmModule(new URL('convolve.wasm', import.meta.url));
const { memory, convolve } = wasmInstance<ConvolveExports>(convolveModule);

/** Input window: older samples first, then the new ones. All resamplers of the thread share it. */
export const windowSamples = new Int16Array(memory.buffer, 0, MAX_WINDOW_SAMPLES);
/** `windowSamples`, four samples per element. */
export const windowFours = new BigInt64Array(memory.buffer, 0, MAX_WINDOW_SAMPLES / 4);
const outputSamples = new Int16Array(memory.buffer, INPUT_BYTES, MAX_OUTPUT_SAMPLES);
/** Views of the output by length. Copying a whole array is a memmove, and a new view per call would be garbage. */
const outputs: (Int16Array | undefined)[] = [];

/** Returns the first `length` output samples, valid until the next convolution. */
export function convolved(length: number): Int16Array {
  const known = outputs[length];
  if (known !== undefined) return known;
  const made = outputSamples.subarray(0, length);
  outputs[length] = made;
  return made;
}

const slots: (PolyphaseFilter | null)[] = new Array(SLOTS).fill(null);
let nextSlot = 0;

/** Position of an output sample: `at` whole input samples after the next one, plus `phase` `up`ths of a sample. */
export interface WindowPlace {
  at: number;
  phase: number;
}

/**
 * Computes all output samples positioned within the first `lengthSamples` new input samples, starting at `place`. The
 * new samples follow `historySamples` older ones. Returns the number of output samples.
 */
export function convolveWindow(
  filter: PolyphaseFilter,
  historySamples: number,
  lengthSamples: number,
  { at, phase }: WindowPlace,
): number {
  const { up, down, taps, phases } = filter;
  const end = convolve(
    (historySamples - (taps - 1)) * Int16Array.BYTES_PER_ELEMENT,
    lengthSamples,
    INPUT_BYTES,
    addressOf(filter),
    taps,
    phases,
    up,
    Math.floor(down / up),
    down % up,
    at,
    phase,
  );
  return (end - INPUT_BYTES) / Int16Array.BYTES_PER_ELEMENT;
}

/** Address of the filter in the module's memory. Loads it in place of the oldest filter when needed. */
function addressOf(filter: PolyphaseFilter): number {
  let slot = slots.indexOf(filter);
  if (slot < 0) {
    slot = nextSlot;
    nextSlot = (nextSlot + 1) % SLOTS;
    slots[slot] = filter;
    new Int16Array(memory.buffer, slotAddress(slot)).set(filter.coefficients);
  }
  return slotAddress(slot);
}

function slotAddress(slot: number): number {
  return FIRST_SLOT + slot * MAX_FILTER_BYTES;
}
