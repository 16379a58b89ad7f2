import type { WebSocket } from 'ws';
import { nowUs } from '../../clock.ts';

export interface ListenerWatch {
  /** A chunk has arrived. */
  chunk(audio: Uint8Array, atUs: number): void;
}

const BYTES_PER_S = 8_000;
/** Interim results come as often as Deepgram's, and every fifth is the end of an utterance. */
const RESULT_BYTES = BYTES_PER_S;
const RESULTS_PER_UTTERANCE = 5;

/** One connection to `/v1/listen`. It hears the same words all the time. */
export class LeanListener {
  readonly #socket: WebSocket;
  #bytes = 0;
  #begunBytes = 0;
  #settledBytes = 0;
  #results = 0;

  constructor(socket: WebSocket, watch: ListenerWatch) {
    this.#socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      if (!isBinary) return this.#control(data.toString());
      watch.chunk(data, nowUs());
      this.#hear(data.length);
    });
  }

  /** Counts from now on. */
  begin(): void {
    this.#begunBytes = this.#bytes;
  }

  get listenedMs(): number {
    return ((this.#bytes - this.#begunBytes) * 1_000) / BYTES_PER_S;
  }

  #hear(bytes: number): void {
    const before = Math.floor(this.#bytes / RESULT_BYTES);
    this.#bytes += bytes;
    if (Math.floor(this.#bytes / RESULT_BYTES) === before) return;
    this.#results++;
    this.#report(this.#results % RESULTS_PER_UTTERANCE === 0);
  }

  #control(json: string): void {
    if (json.includes('CloseStream')) this.#socket.close(1000);
    else if (json.includes('Finalize')) this.#report(true);
  }

  #report(isFinal: boolean): void {
    const [start, end] = [this.#settledBytes / BYTES_PER_S, this.#bytes / BYTES_PER_S];
    const words = WORDS.map((word, i) => ({
      word,
      start: start + i / 10,
      end: start + (i + 1) / 10,
      confidence: 0.9,
      punctuated_word: word,
    }));
    const alternatives = [{ transcript: WORDS.join(' '), confidence: 0.9, words, languages: ['en'] }];
    this.#socket.send(
      JSON.stringify({
        type: 'Results',
        channel_index: [0, 1],
        start,
        duration: end - start,
        is_final: isFinal,
        speech_final: isFinal,
        from_finalize: false,
        channel: { alternatives },
      }),
    );
    if (isFinal) this.#settledBytes = this.#bytes;
  }
}

const WORDS = ['the', 'line', 'is', 'as', 'clear', 'as', 'a', 'bell'];
