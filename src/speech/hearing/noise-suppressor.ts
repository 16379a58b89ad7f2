import { createRequire } from 'node:module';
import { Resampler } from '../../audio/resampler.ts';
import { type WasmMemory, wasmInstance, wasmModule } from '../../audio/wasm.ts';
import { assert } from '../../base/assert.ts';
import { frameSamples } from '../../base/frame.ts';

/**
 * GTCRN, a neural network of 24,000 weights that leaves a voice and takes what is behind it
 * (https://github.com/Xiaobin-Rong/gtcrn). Only the WebAssembly of the package is used, not its JavaScript.
 */
const BINARY = '@sapphi-red/web-noise-suppressor/gtcrn.wasm';
const RATE_HZ = 16_000;
/** What it takes and returns at a time: 16 ms. */
const HOP = 256;
const FRAME = frameSamples(RATE_HZ);
const FULL_SCALE = 0x8000;
const PAGE_BYTES = 65_536;
const NOWHERE = 0;

/** Exports of the module under the short names of its build, version 0.4.1. Addresses are offsets in `c`. */
interface GtcrnExports {
  /** memory */
  readonly c: WasmMemory;
  /** __wasm_call_ctors */
  d(): void;
  /** gtcrn_create */
  e(): number;
  /** free */
  f(at: number): void;
  /** gtcrn_destroy */
  g(state: number): void;
  /** gtcrn_process: one hop of floats, at 16,000 Hz */
  i(state: number, from: number, to: number): void;
  /** malloc */
  k(bytes: number): number;
}

/** The voices of a thread, in one memory that grows with them. */
interface GtcrnLibrary {
  readonly exports: GtcrnExports;
  readonly fromAt: number;
  readonly toAt: number;
}

let library: GtcrnLibrary | null = null;

/** Takes the noise from one voice. What it returns is as long as what it takes, and 48 ms older. */
export class NoiseSuppressor {
  readonly #library: GtcrnLibrary;
  readonly #state: number;
  readonly #up: Resampler | null;
  readonly #down: Resampler | null;
  /** What is not a whole hop yet, and what has not been returned yet. */
  readonly #taken = new Float32Array(HOP);
  #takenLength = 0;
  readonly #ready = new Int16Array(FRAME + 2 * HOP);
  #readyLength = HOP;
  readonly #frame = new Int16Array(FRAME);

  constructor(rateHz: number) {
    library ??= load();
    this.#library = library;
    this.#state = library.exports.e();
    assert(this.#state !== NOWHERE, 'no memory to suppress noise');
    this.#up = rateHz === RATE_HZ ? null : new Resampler(rateHz, RATE_HZ, frameSamples(rateHz));
    this.#down = rateHz === RATE_HZ ? null : new Resampler(RATE_HZ, rateHz, FRAME);
  }

  /** Takes the next 20 ms. The result is valid until the next call of this or any resampler. */
  process(frame: Int16Array): Int16Array {
    this.#take(this.#up?.process(frame, frame.length) ?? frame);
    this.#frame.set(this.#ready.subarray(0, FRAME));
    this.#ready.copyWithin(0, FRAME, this.#readyLength);
    this.#readyLength -= FRAME;
    return this.#down?.process(this.#frame, FRAME) ?? this.#frame;
  }

  /** Frees the state of the network. Call it once. */
  close(): void {
    this.#library.exports.g(this.#state);
  }

  #take(samples: Int16Array): void {
    for (const sample of samples) {
      this.#taken[this.#takenLength] = sample / FULL_SCALE;
      this.#takenLength++;
      if (this.#takenLength === HOP) this.#suppress();
    }
  }

  #suppress(): void {
    const { exports, fromAt, toAt } = this.#library;
    new Float32Array(exports.c.buffer, fromAt, HOP).set(this.#taken);
    exports.i(this.#state, fromAt, toAt);
    for (const value of new Float32Array(exports.c.buffer, toAt, HOP)) {
      this.#ready[this.#readyLength] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE - 1, value * FULL_SCALE));
      this.#readyLength++;
    }
    this.#takenLength = 0;
  }
}

function load(): GtcrnLibrary {
  const module = wasmModule(createRequire(import.meta.url).resolve(BINARY));
  const exports: GtcrnExports = wasmInstance(module, {
    a: {
      /** __assert_fail */
      a: () => assert(false, 'the noise suppressor has failed'),
      /** emscripten_resize_heap: returns whether there are so many bytes now */
      b: (bytes: number) => hasGrownTo(exports.c, bytes >>> 0),
    },
  });
  exports.d();
  const bytes = HOP * Float32Array.BYTES_PER_ELEMENT;
  return { exports, fromAt: exports.k(bytes), toAt: exports.k(bytes) };
}

function hasGrownTo(memory: WasmMemory, bytes: number): boolean {
  try {
    memory.grow(Math.ceil((bytes - memory.buffer.byteLength) / PAGE_BYTES));
    return true;
  } catch {
    return false;
  }
}
