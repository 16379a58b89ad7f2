import type { AudioFormat } from '../audio-format.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { resultOf } from '../stt/recognized-words.ts';
import type { Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import { textAt } from '../vendor-message.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import type { LocalStt } from './local-stt.ts';
import { SPHINX_RATE_HZ, type SphinxStream } from './sphinx-stream.ts';

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
