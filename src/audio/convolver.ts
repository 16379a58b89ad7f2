import { MAX_FILTER_BYTES, type PolyphaseFilter } from './polyphase-filter.ts';
import { type WasmMemory, wasmInstance, wasmModule } from './wasm.ts';

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
