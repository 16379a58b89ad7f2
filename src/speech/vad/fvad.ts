import { createRequire } from 'node:module';
import { type WasmMemory, wasmInstance, wasmModule } from '../../audio/wasm.ts';
import { assert } from '../../base/assert.ts';
import { frameSamples, MAX_SAMPLE_RATE_HZ } from '../../base/frame.ts';

/** WebRTC's voice activity detector (libfvad). Only the WebAssembly of the package is used, not its JavaScript. */
const BINARY = '@echogarden/fvad-wasm/fvad.wasm';
/** 0 to 3. From 0 on, ever more must speak for speech; 2 still hears the quiet ends of words. */
const MODE = 2;
const NOWHERE = 0;

export type FvadRateHz = 8_000 | 16_000 | 48_000;

/** Exports of the module under the short names of its build, version 0.2.0. Addresses are offsets in `c`. */
interface FvadExports {
  /** memory */
  readonly c: WasmMemory;
  /** __wasm_call_ctors */
  d(): void;
  /** fvad_new */
  e(): number;
  /** malloc */
  f(bytes: number): number;
  /** fvad_free */
  h(detector: number): void;
  /** fvad_set_mode: 0, or −1 for an invalid mode */
  j(detector: number, mode: number): number;
  /** fvad_set_sample_rate: 0, or −1 for an invalid rate */
  k(detector: number, rateHz: number): number;
  /** fvad_process: 1 voice, 0 none, −1 invalid length */
  l(detector: number, samples: number, length: number): number;
}

/** The detectors of a thread, in one memory of 17 MB, of which they touch about 1 KB each. It does not grow. */
interface FvadLibrary {
  readonly exports: FvadExports;
  /** The frame to process, for all detectors. */
  readonly frame: Int16Array;
  readonly frameAt: number;
}

let library: FvadLibrary | null = null;

/** Decides for every frame of one voice whether it contains speech. */
export class Fvad {
  readonly #library: FvadLibrary;
  readonly #detector: number;
  readonly #frameSamples: number;

  constructor(rateHz: FvadRateHz) {
    library ??= load();
    this.#library = library;
    const { e: create, j: setMode, k: setRate } = library.exports;
    this.#detector = create();
    assert(this.#detector !== NOWHERE, 'no memory for a voice activity detector');
    assert(setMode(this.#detector, MODE) === 0, 'invalid mode of voice activity detection');
    assert(setRate(this.#detector, rateHz) === 0, `no voice activity detection at ${rateHz} Hz`);
    this.#frameSamples = frameSamples(rateHz);
  }

  /** Takes the next 20 ms. */
  isVoiced(samples: Int16Array): boolean {
    const { exports, frame, frameAt } = this.#library;
    assert(samples.length === this.#frameSamples, 'voice activity detection needs frames of 20 ms');
    frame.set(samples);
    return exports.l(this.#detector, frameAt, samples.length) === 1;
  }

  /** Frees its memory. Call it once. */
  close(): void {
    this.#library.exports.h(this.#detector);
  }
}

function load(): FvadLibrary {
  const file = createRequire(import.meta.url).resolve(BINARY);
  const failedAssertion = () => assert(false, 'failed assertion in libfvad');
  const growth = () => 0;
  const exports = wasmInstance<FvadExports>(wasmModule(file), { a: { a: failedAssertion, b: growth } });
  exports.d();
  const samples = frameSamples(MAX_SAMPLE_RATE_HZ);
  const frameAt = exports.f(samples * Int16Array.BYTES_PER_ELEMENT);
  return { exports, frame: new Int16Array(exports.c.buffer, frameAt, samples), frameAt };
}
