import type { Recognizer } from '../../../src/speech/stt/recognizer.ts';
import { bytesPerMs, silence, toneSpeech } from '../../fakes/tone-speech.ts';

/** Somebody who speaks tone speech into a recognizer, in its chunks. */
export class Speaker {
  readonly #recognizer: Recognizer;
  readonly #afterChunk: (chunkMs: number) => Promise<void>;
  #rest = Buffer.alloc(0);

  constructor(recognizer: Recognizer, afterChunk: (chunkMs: number) => Promise<void>) {
    this.#recognizer = recognizer;
    this.#afterChunk = afterChunk;
  }

  async say(text: string, thenSilentMs: number): Promise<void> {
    const { format } = this.#recognizer;
    await this.#hear(Buffer.concat([toneSpeech(text, format), silence(thenSilentMs, format)]));
  }

  async #hear(audio: Uint8Array): Promise<void> {
    const { format, chunkMs } = this.#recognizer;
    const step = chunkMs * bytesPerMs(format);
    this.#rest = Buffer.concat([this.#rest, audio]);
    for (; this.#rest.length >= step; this.#rest = this.#rest.subarray(step)) {
      this.#recognizer.hear(Uint8Array.from(this.#rest.subarray(0, step)));
      await this.#afterChunk(chunkMs);
    }
  }
}
