import type { Clock } from '../../base/time.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { resultOf } from '../stt/heard.ts';
import type { Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import { textAt } from '../vendor-message.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import { SPHINX_RATE_HZ, type SphinxOptions, SphinxStream } from './sphinx-stream.ts';

const CHUNK_MS = 100;
const CLOSE_MS = 2_000;

/** One voice, recognized by pocketsphinx. It gives final results only, without times. */
export function localRecognizer(
  { options }: SpeechPreset,
  stt: LocalStt,
  observer: RecognizerObserver,
): Recognizer {
  const ended = Promise.withResolvers<void>();
  let isClosing = false;
  const onEnd = (error: LocalSpeechError | null): void => {
    ended.resolve();
    if (!isClosing && error !== null) observer.failed(error.fault);
  };
  const open = (): SphinxStream | null => {
    try {
      const onFinal = (text: string) => observer.final(resultOf(text, { language: 'en' }));
      return stt.open({ grammar: textAt(options, 'grammar') || null, onFinal, onEnd });
    } catch (error) {
      if (!(error instanceof LocalSpeechError)) throw error;
      // Observers are not called while something is made.
      queueMicrotask(() => onEnd(error));
      return null;
    }
  };
  const stream = open();
  return {
    format: { encoding: 's16le', sampleRateHz: SPHINX_RATE_HZ },
    chunkMs: CHUNK_MS,
    hear: (chunk) => stream?.hear(new Int16Array(chunk.buffer, chunk.byteOffset, chunk.byteLength >> 1)),
    /** The recognizer finds pauses itself. */
    flush: () => {},
    async close() {
      isClosing = true;
      if (stream === null) return;
      stream.finish(CLOSE_MS);
      await ended.promise;
    },
  };
}

/** Each is a process of about 100 MB that takes a tenth of a core while somebody speaks. */
const MAX_STREAMS = 8;

/** Speech recognition without a vendor: English, by pocketsphinx, where it is installed. */
export class LocalStt {
  readonly #clock: Clock;
  #streams = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Starts to recognize one voice. Throws LocalSpeechError: `not_installed` or `busy`. */
  open({ onEnd, ...options }: SphinxOptions): SphinxStream {
    if (this.#streams >= MAX_STREAMS)
      throw new LocalSpeechError('busy', 'Too many voices are being recognized on this machine');
    const stream = new SphinxStream(this.#clock, {
      ...options,
      onEnd: (error) => {
        this.#streams -= 1;
        onEnd(error);
      },
    });
    this.#streams += 1;
    return stream;
  }
}
