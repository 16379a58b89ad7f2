import type { AudioFormat } from '../../../src/speech/audio-format.ts';
import type { Recognizer, RecognizerObserver } from '../../../src/speech/stt/recognizer.ts';
import { toneLevelDb } from '../tone-analysis.ts';

const AUDIBLE_DB = -30;

export interface ToneEars {
  readonly format: AudioFormat;
  readonly chunkMs: number;
  readonly tonesHz: readonly number[];
}

/** A vendor that understands tones: with every pause it says which one it has heard. */
export class ToneRecognizer implements Recognizer {
  readonly format: AudioFormat;
  readonly chunkMs: number;
  readonly #tonesHz: readonly number[];
  readonly #observer: RecognizerObserver;
  readonly #chunks: Uint8Array[] = [];

  constructor({ format, chunkMs, tonesHz }: ToneEars, observer: RecognizerObserver) {
    this.format = format;
    this.chunkMs = chunkMs;
    this.#tonesHz = tonesHz;
    this.#observer = observer;
  }

  hear(chunk: Uint8Array): void {
    this.#chunks.push(chunk);
  }

  flush(): void {
    const levels = this.#chunks.splice(0).flatMap((chunk) => this.#levels(chunk));
    const [loudest] = levels.sort((one, other) => other.db - one.db);
    if (loudest === undefined || loudest.db < AUDIBLE_DB) return;
    const unknown = { startMs: null, endMs: null, confidence: null, language: null, speaker: null };
    this.#observer.final({ text: `${loudest.hz} Hz`, ...unknown });
  }

  async close(): Promise<void> {
    this.flush();
  }

  #levels(chunk: Uint8Array): { readonly hz: number; readonly db: number }[] {
    const samples = new Int16Array(chunk.buffer, chunk.byteOffset, chunk.byteLength / 2);
    return this.#tonesHz.map((hz) => ({ hz, db: toneLevelDb(samples, this.format.sampleRateHz, hz) }));
  }
}
