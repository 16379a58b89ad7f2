import { createRequire } from 'node:module';

/**
 * The compiled Speex resampler behind the package `speex-resampler`. Its own wrapper copies every chunk twice and
 * never frees a resampler; the module underneath exports all that is needed to do neither.
 */
export interface SpeexModule {
  /** Views of the heap; replaced when the heap grows, so read them anew after any `_malloc` or `_init`. */
  readonly HEAP16: Int16Array;
  readonly HEAP32: Int32Array;
  _malloc(lengthBytes: number): number;
  _free(pointer: number): void;
  /** Zero, and a code at `errorPointer`, when the rates or the quality are refused. */
  _speex_resampler_init(
    channels: number,
    inRateHz: number,
    outRateHz: number,
    quality: number,
    errorPointer: number,
  ): number;
  _speex_resampler_destroy(resampler: number): void;
  /** The two lengths are read as room and written as samples consumed and produced; zero is success. */
  _speex_resampler_process_interleaved_int(
    resampler: number,
    input: number,
    inputLength: number,
    output: number,
    outputLength: number,
  ): number;
}

const PROCESS_EVENTS = ['uncaughtException', 'unhandledRejection'] as const;

/**
 * One module for each thread. The generated loader puts handlers on the process that rethrow exceptions and abort
 * on rejections; they are taken off again, because what a bug ends is decided elsewhere.
 */
async function loadSpeex(): Promise<SpeexModule> {
  const { default: instantiate } = createRequire(import.meta.url)('speex-resampler/app/speex_wasm.js') as {
    default: (options: object) => Promise<SpeexModule>;
  };
  const before = PROCESS_EVENTS.map((event) => process.rawListeners(event));
  const loading = instantiate({});
  PROCESS_EVENTS.forEach((event, i) => {
    for (const listener of process.rawListeners(event)) {
      if (!before[i]?.includes(listener)) process.removeListener(event, listener as () => void);
    }
  });
  return loading;
}

export const speex = await loadSpeex();
