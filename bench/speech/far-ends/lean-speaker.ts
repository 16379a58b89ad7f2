import type { WebSocket } from 'ws';
import { nowUs } from '../../clock.ts';
import { markedAudio, markInText } from './marks.ts';
import { PhoneTone } from './phone-tone.ts';

export interface SpeakerWatch {
  /** A marked text has arrived. */
  asked(mark: number, atUs: number): void;
  /** Marked audio leaves. */
  spoken(mark: number, atUs: number): void;
}

const BYTES_PER_MS = 8;
const MARK_MS = 200;
/** A mark is spoken at any moment between two ticks. */
const SOONEST_MS = 10;
const SPREAD_MS = 40;
/** Like a vendor, twice as fast as it is heard. */
const MESSAGE_MS = 200;
const EVERY_MS = 100;
const MS_PER_CHARACTER = 60;

/** One connection to `/v1/speak`: a marked text is a short mark, any other the telephones' tone, without a gap. */
export class LeanSpeaker {
  readonly #socket: WebSocket;
  readonly #watch: SpeakerWatch;
  readonly #tone = new PhoneTone();
  #text = '';
  #owedMs = 0;
  #sequence = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(socket: WebSocket, watch: SpeakerWatch) {
    this.#socket = socket;
    this.#watch = watch;
    socket.on('message', (data: Buffer) => this.#take(JSON.parse(data.toString())));
    socket.on('close', () => this.#stop());
  }

  #take({ type, text = '' }: { readonly type: string; readonly text?: string }): void {
    if (type === 'Speak') this.#ask(text);
    else if (type === 'Flush') this.#speak();
    else if (type === 'Clear') this.#clear();
    else this.#socket.close(1000);
  }

  #ask(text: string): void {
    const mark = markInText(text);
    if (mark !== null) this.#watch.asked(mark, nowUs());
    this.#text += text;
  }

  #speak(): void {
    const mark = markInText(this.#text);
    this.#owedMs += this.#text.length * MS_PER_CHARACTER;
    this.#text = '';
    if (mark === null) this.#speakOn();
    else setTimeout(() => this.#speakMark(mark), SOONEST_MS + Math.random() * SPREAD_MS);
  }

  #speakMark(mark: number): void {
    this.#watch.spoken(mark, nowUs());
    this.#socket.send(markedAudio(mark, MARK_MS * BYTES_PER_MS));
    this.#end();
  }

  #speakOn(): void {
    this.#timer ??= setInterval(() => {
      this.#socket.send(this.#tone.next(MESSAGE_MS));
      this.#owedMs -= MESSAGE_MS;
      if (this.#owedMs <= 0) this.#end();
    }, EVERY_MS);
  }

  #end(): void {
    this.#stop();
    this.#owedMs = 0;
    this.#socket.send(JSON.stringify({ type: 'Flushed', sequence_id: this.#sequence++ }));
  }

  #clear(): void {
    this.#stop();
    this.#owedMs = 0;
    this.#socket.send(JSON.stringify({ type: 'Cleared', sequence_id: this.#sequence++ }));
  }

  #stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer);
    this.#timer = null;
  }
}
