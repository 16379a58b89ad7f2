import type { Clock } from '../../base/time.ts';
import type { AudioFormat } from '../audio-format.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { resultOf } from '../stt/heard.ts';
import type { Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import { textAt } from '../vendor-message.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import { SPHINX_RATE_HZ, type SphinxOptions, SphinxStream } from './sphinx-stream.ts';

const CHUNK_MS = 100;
const CLOSE_MS = 2_000;

/** One voice, recognized by pocketsphinx. It gives final results only, without times. */
export class LocalRecognizer implements Recognizer {
  readonly format: AudioFormat = { encoding: 's16le', sampleRateHz: SPHINX_RATE_HZ };
  readonly chunkMs = CHUNK_MS;
  readonly #observer: RecognizerObserver;
  readonly #stream: SphinxStream | null;
  readonly #ended = Promise.withResolvers<void>();
  #isClosing = false;

  constructor({ options }: SpeechPreset, stt: LocalStt, observer: RecognizerObserver) {
    this.#observer = observer;
    this.#stream = this.#open(textAt(options, 'grammar') || null, stt);
  }

  hear(chunk: Uint8Array): void {
    this.#stream?.hear(new Int16Array(chunk.buffer, chunk.byteOffset, chunk.byteLength >> 1));
  }

  /** The recognizer finds pauses itself. */
  flush(): void {}

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#stream === null) return;
    this.#stream.finish(CLOSE_MS);
    await this.#ended.promise;
  }

  #open(grammar: string | null, stt: LocalStt): SphinxStream | null {
    try {
      return stt.open({
        grammar,
        onFinal: (text) => this.#final(text),
        onEnd: (error) => this.#end(error),
      });
    } catch (error) {
      if (!(error instanceof LocalSpeechError)) throw error;
      // Observers are not called by constructors.
      queueMicrotask(() => this.#end(error));
      return null;
    }
  }

  #final(text: string): void {
    this.#observer.final(resultOf(text, { language: 'en' }));
  }

  #end(error: LocalSpeechError | null): void {
    this.#ended.resolve();
    if (!this.#isClosing && error !== null) this.#observer.failed(error.fault);
  }
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
