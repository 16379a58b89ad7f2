import { bytesPerMs, type ToneFormat, toneSpeech } from '../tone-speech.ts';
import { alignTones, type CharacterTime } from './tone-alignment.ts';

/** Audio of one message. One word and the silence after it. */
const CHUNK_MS = 300;
const LEAST_CHARACTERS = 120;

/** How alignment is written: the vendor's own description and its SDK differ in a name, observers in what times count from. */
export interface AlignmentManner {
  readonly durations: 'charDurationsMs' | 'charsDurationsMs';
  readonly from: 'message' | 'utterance';
}

interface Chunk {
  readonly audio: Uint8Array;
  readonly startMs: number;
  readonly times: readonly CharacterTime[];
}

/** One context: text in, chunks of audio out. */
export class TtsContext {
  /** Whether it ends when its audio has been sent. */
  isClosed = false;
  readonly contextId: string;
  readonly #format: ToneFormat;
  readonly #isAuto: boolean;
  #text = '';
  #chunks: Chunk[] = [];
  /** Length of the audio so far. */
  #lengthMs = 0;

  constructor(contextId: string, format: ToneFormat, isAuto: boolean) {
    this.contextId = contextId;
    this.#format = format;
    this.#isAuto = isAuto;
  }

  /** Text is spoken when it is enough, when it is flushed, and at once in auto mode. */
  add(text: string, flush: boolean): void {
    this.#text += text;
    if (flush || this.#isAuto || this.#text.length >= LEAST_CHARACTERS) this.#generate();
  }

  /** What was flushed is still sent. Text that was not is dropped. */
  close(): void {
    this.#text = '';
    this.isClosed = true;
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** Returns the next message. */
  next(manner: AlignmentManner): object | null {
    const chunk = this.#chunks.shift();
    if (chunk === undefined) return null;
    const offsetMs = manner.from === 'message' ? chunk.startMs : 0;
    const alignment = {
      chars: chunk.times.map(({ char }) => char),
      charStartTimesMs: chunk.times.map(({ startMs }) => startMs - offsetMs),
      [manner.durations]: chunk.times.map(({ durationMs }) => durationMs),
    };
    return {
      audio: Buffer.from(chunk.audio).toString('base64'),
      alignment,
      normalizedAlignment: alignment,
      contextId: this.contextId,
    };
  }

  #generate(): void {
    const text = this.#text;
    this.#text = '';
    const audio = toneSpeech(text, this.#format);
    const beforeMs = this.#lengthMs;
    const times = alignTones(text).map((time) => ({ ...time, startMs: time.startMs + beforeMs }));
    const step = CHUNK_MS * bytesPerMs(this.#format);
    for (let at = 0; at < audio.length; at += step) {
      const startMs = this.#lengthMs;
      const endMs = startMs + CHUNK_MS;
      this.#chunks.push({
        audio: audio.subarray(at, at + step),
        startMs,
        times: times.filter((time) => time.startMs >= startMs && time.startMs < endMs),
      });
      this.#lengthMs = endMs;
    }
  }
}
