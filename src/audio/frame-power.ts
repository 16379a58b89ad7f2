import { assert } from '../base/assert.ts';
import { type WasmMemory, wasmInstance, wasmModule } from './wasm.ts';

interface FramePowerExports {
  readonly memory: WasmMemory;
  energy(at: number, bytes: number): number;
  product(lag: number, bytes: number): number;
  energies(vectors: number, blocks: number, to: number): void;
}

const FULL_SCALE_POWER = 0x8000 ** 2;
const VECTOR_SAMPLES = 8;
const VECTOR_BYTES = 16;
/** Where the blocks' energies begin, in bytes. The frame is before it, and silence after the frame. */
const ENERGIES_AT = 32_768;
const MAX_BLOCKS = 64;

const { memory, energy, product, energies } = wasmInstance<FramePowerExports>(
  wasmModule(new URL('frame-power.wasm', import.meta.url)),
);
/** The frame that is measured. All calls of the thread use it one after another. */
const measured = new Int16Array(memory.buffer, 0, ENERGIES_AT / Int16Array.BYTES_PER_ELEMENT);
const blockEnergies = new Float64Array(memory.buffer, ENERGIES_AT, MAX_BLOCKS);
let measuredLength = 0;

/** Mean power of 16-bit samples, 0 to 1: relative to that of a full-scale square wave. */
export function framePower(samples: Int16Array): number {
  if (samples.length === 0) return 0;
  let sum = 0;
  for (let at = 0; at < samples.length; at += measured.length) {
    const isWhole = samples.length <= measured.length;
    sum += energy(0, measure(isWhole ? samples : samples.subarray(at, at + measured.length)));
  }
  return sum / (samples.length * FULL_SCALE_POWER);
}

/**
 * Writes the power of each of `powers.length` blocks of a frame, which has 8 samples for each at least. Blocks are multiples of 8
 * samples, so they differ by as many where the frame cannot be divided so.
 */
export function blockPowers(samples: Int16Array, powers: Float64Array): void {
  const vectors = measure(samples) / VECTOR_BYTES;
  assert(vectors >= powers.length && powers.length <= MAX_BLOCKS, 'a block is a vector at least');
  energies(vectors, powers.length, ENERGIES_AT);
  for (let i = 0; i < powers.length; i++) powers[i] = (blockEnergies[i] as number) / FULL_SCALE_POWER;
}

/** Returns how alike the samples that were measured last are to themselves `lag` samples later: the mean product, as a power. */
export function laterProduct(lag: number): number {
  const sum = product(lag * Int16Array.BYTES_PER_ELEMENT, bytesOf(measuredLength));
  return sum / ((measuredLength - lag) * FULL_SCALE_POWER);
}

/** Copies samples to where they are measured, with silence behind them. Returns their length in whole vectors, in bytes. */
function measure(samples: Int16Array): number {
  measured.set(samples);
  if (measuredLength > samples.length) measured.fill(0, samples.length, measuredLength);
  measuredLength = samples.length;
  return bytesOf(samples.length);
}

function bytesOf(samples: number): number {
  return ((samples + VECTOR_SAMPLES - 1) & -VECTOR_SAMPLES) * Int16Array.BYTES_PER_ELEMENT;
}
