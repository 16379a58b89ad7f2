import type { Clock } from '../../base/time.ts';
import type { AudioFormat } from '../audio-format.ts';
import type { SpeechPreset } from '../speech-preset.ts';
import { resultOf } from '../stt/heard.ts';
import type { Recognizer, RecognizerObserver } from '../stt/recognizer.ts';
import { textAt } from '../vendor-message.ts';
import type { LocalPlaces } from './local-places.ts';
import { LocalSpeechError } from './local-speech-error.ts';
import { SPHINX_RATE_HZ, SphinxStream } from './sphinx-stream.ts';

const CLOSE_MS = 2_000;

export interface LocalRecognizerDeps {
  readonly clock: Clock;
  readonly places: LocalPlaces;
}

/** One voice, recognized by pocketsphinx. It gives final results only, without times. */
export class LocalRecognizer implements Recognizer {
  readonly format: AudioFormat = { encoding: 's16le', sampleRateHz: SPHINX_RATE_HZ };
  readonly chunkMs = 100;
  readonly #grammar: string | null;
  readonly #deps: LocalRecognizerDeps;
  readonly #observer: RecognizerObserver;
  /** What was heard while the place was awaited, for some seconds at most. */
  #early: Uint8Array[] | null = [];
  #stream: SphinxStream | null = null;
  readonly #ended = Promise.withResolvers<void>();
  #isClosing = false;

  constructor({ options }: SpeechPreset, deps: LocalRecognizerDeps, observer: RecognizerObserver) {
    this.#grammar = textAt(options, 'grammar') || null;
    this.#deps = deps;
    this.#observer = observer;
    void this.#open();
  }

  hear(chunk: Uint8Array): void {
    if (this.#stream === null) this.#early?.push(chunk);
    else this.#stream.hear(new Int16Array(chunk.buffer, chunk.byteOffset, chunk.byteLength >> 1));
  }

  /** The recognizer finds pauses itself. */
  flush(): void {}

  async close(): Promise<void> {
    this.#isClosing = true;
    if (this.#stream === null) return;
    this.#stream.finish(CLOSE_MS);
    await this.#ended.promise;
  }

  async #open(): Promise<void> {
    const leave = await this.#deps.places.take('recognition');
    const early = this.#early ?? [];
    this.#early = null;
    if (leave === null) return this.#end(tooManyVoices());
    if (this.#isClosing) return leave();
    try {
      this.#stream = this.#start(leave);
      for (const chunk of early) this.hear(chunk);
    } catch (error) {
      leave();
      this.#end(error instanceof LocalSpeechError ? error : new LocalSpeechError('failed', `${error}`));
    }
  }

  #start(leave: () => void): SphinxStream {
    return new SphinxStream(this.#deps.clock, {
      grammar: this.#grammar,
      onFinal: (text) => this.#observer.final(resultOf(text, { language: 'en' })),
      onEnd: (error) => {
        leave();
        this.#end(error);
      },
    });
  }

  #end(error: LocalSpeechError | null): void {
    this.#ended.resolve();
    if (!this.#isClosing && error !== null) this.#observer.failed(error.fault);
  }
}

function tooManyVoices(): LocalSpeechError {
  return new LocalSpeechError('busy', 'Too many voices are being recognized on this machine');
}
