import { readFileSync } from 'node:fs';
import { MAX_FILTER_BYTES, type PolyphaseFilter } from './polyphase-filter.ts';

/** Memory of the module: samples in, samples out, then slots that each hold a filter. See convolve.wat. */
const INPUT_BYTES = 16_384;
const OUTPUT_BYTES = 49_152;
const SLOTS = 16;
const FIRST_SLOT = INPUT_BYTES + OUTPUT_BYTES;

export const MAX_WINDOW_SAMPLES = INPUT_BYTES / Int16Array.BYTES_PER_ELEMENT;
export const MAX_OUTPUT_SAMPLES = OUTPUT_BYTES / Int16Array.BYTES_PER_ELEMENT;

interface ConvolveExports {
  readonly memory: { readonly buffer: ArrayBuffer };
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

/** The part of WebAssembly's API that is needed; its types come with browsers' only. */
interface Wasm {
  readonly Module: new (binary: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: ConvolveExports };
}

const { Module, Instance } = (globalThis as unknown as { WebAssembly: Wasm }).WebAssembly;
const binary = readFileSync(new URL('convolve.wasm', import.meta.url));
const { memory, convolve } = new Instance(new Module(binary)).exports;

/** What goes in: older samples first, then the new ones. The same memory for every resampler of the thread. */
export const windowSamples = new Int16Array(memory.buffer, 0, MAX_WINDOW_SAMPLES);
/** The same, four to a word. */
export const windowFours = new BigInt64Array(memory.buffer, 0, MAX_WINDOW_SAMPLES / 4);
const outputSamples = new Int16Array(memory.buffer, INPUT_BYTES, MAX_OUTPUT_SAMPLES);
/** By length: copying a whole array is a memmove, and making one for it each time would be garbage. */
const outputs: (Int16Array | undefined)[] = [];

/** What came out: the first `length` samples, until the next convolution. */
export function convolved(length: number): Int16Array {
  const known = outputs[length];
  if (known !== undefined) return known;
  const made = outputSamples.subarray(0, length);
  outputs[length] = made;
  return made;
}

const slots: (PolyphaseFilter | null)[] = new Array(SLOTS).fill(null);
let nextSlot = 0;

/** Where an output sample stands: so many input samples after the next one, and so many `up`ths of one more. */
export interface WindowPlace {
  at: number;
  phase: number;
}

/**
 * Computes every output sample whose place lies within the first `lengthSamples` new input samples, which lie
 * behind `historySamples` older ones, beginning at `place`; returns how many there are.
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

/** Where the filter is in the module's memory; brings it there when it is not, in place of the oldest. */
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
