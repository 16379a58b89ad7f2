import { type WasmMemory, wasmInstance, wasmModule } from './wasm.ts';

const VECTOR_BYTES = 16;
const PAGE_BYTES = 65_536;

interface SummingExports {
  readonly memory: WasmMemory;
  add(total: number, voice: number, bytes: number): void;
  subtract(total: number, voice: number, rest: number, bytes: number): void;
}

const summingModule = wasmModule(new URL('summing.wasm', import.meta.url));

/**
 * 16-bit voice frames, their 32-bit sum, and the sum without one of them; see summing.wat. Each array is a frame in the
 * module's memory. `makeRoom` replaces the arrays:
 *
 *     0        4 f        6 f       8 f       10 f          (byte addresses; f: samples of a frame in whole vectors)
 *     ├────────┼──────────┼─────────┼─────────┼────────────
 *     │ sum    │ rest     │ silence │ voice 0 │ voice 1 …
 */
export class SummingBus {
  readonly #exports = wasmInstance<SummingExports>(summingModule);
  readonly #frameSamples: number;
  readonly #frameBytes: number;
  #total: Int32Array;
  #voices: Int16Array[] = [];
  /** The sum without one voice, as last computed. */
  rest: Int16Array;
  silence: Int16Array;

  constructor(frameSamples: number, voices = 0) {
    this.#frameSamples = frameSamples;
    this.#frameBytes = VECTOR_BYTES * Math.ceil((2 * frameSamples) / VECTOR_BYTES);
    [this.#total, this.rest, this.silence] = this.#views();
    this.makeRoom(voices);
  }

  /** Provides `count` voice frames. Call it before writing them. */
  makeRoom(count: number): void {
    if (count <= this.#voices.length) return;
    const { memory } = this.#exports;
    const missingBytes = this.#voiceAddress(count) - memory.buffer.byteLength;
    if (missingBytes > 0) memory.grow(Math.ceil(missingBytes / PAGE_BYTES));
    [this.#total, this.rest, this.silence] = this.#views();
    this.#voices = Array.from({ length: count }, (_, voice) => this.#frameAt(this.#voiceAddress(voice)));
  }

  voice(index: number): Int16Array {
    return this.#voices[index] as Int16Array;
  }

  clear(): void {
    this.#total.fill(0);
  }

  add(voice: number): void {
    this.#exports.add(0, this.#voiceAddress(voice), this.#frameBytes);
  }

  /** Sets `rest` to the sum of all voices except this one. */
  leaveOut(voice: number): void {
    this.#subtract(this.#voiceAddress(voice));
  }

  /** Sets `rest` to the sum of all voices. */
  leaveOutNobody(): void {
    this.#subtract(this.#silenceAddress);
  }

  #subtract(address: number): void {
    this.#exports.subtract(0, address, this.#restAddress, this.#frameBytes);
  }

  get #restAddress(): number {
    return 2 * this.#frameBytes;
  }

  get #silenceAddress(): number {
    return 3 * this.#frameBytes;
  }

  #voiceAddress(voice: number): number {
    return (4 + voice) * this.#frameBytes;
  }

  #views(): [Int32Array, Int16Array, Int16Array] {
    const total = new Int32Array(this.#exports.memory.buffer, 0, this.#frameBytes / 2);
    return [total, this.#frameAt(this.#restAddress), this.#frameAt(this.#silenceAddress)];
  }

  #frameAt(address: number): Int16Array {
    return new Int16Array(this.#exports.memory.buffer, address, this.#frameSamples);
  }
}
