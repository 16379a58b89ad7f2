import type { Recognizer } from '../../../../src/speech/stt/recognizer.ts';
import { bytesPerMs, silence, toneSpeech } from '../../../fakes/tone-speech.ts';
import type { SocketClock } from '../../../support/socket-clock.ts';

/** Somebody who speaks to a recognizer, a chunk at a time, as fast as speech is. */
export class Speaker {
  readonly #recognizer: Recognizer;
  readonly #clock: SocketClock;
  #rest = Buffer.alloc(0);

  constructor(recognizer: Recognizer, clock: SocketClock) {
    this.#recognizer = recognizer;
    this.#clock = clock;
  }

  async say(text: string, pauseMs: number): Promise<void> {
    const { format } = this.#recognizer;
    await this.#speak(toneSpeech(text, format));
    await this.#speak(silence(pauseMs, format));
  }

  async #speak(audio: Uint8Array): Promise<void> {
    const { format, chunkMs } = this.#recognizer;
    this.#rest = Buffer.concat([this.#rest, audio]);
    const chunkBytes = chunkMs * bytesPerMs(format);
    while (this.#rest.length >= chunkBytes) {
      await this.#clock.pass(chunkMs);
      this.#recognizer.hear(Uint8Array.from(this.#rest.subarray(0, chunkBytes)));
      this.#rest = this.#rest.subarray(chunkBytes);
    }
  }
}
