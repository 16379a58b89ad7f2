import { numberAt, type VendorMessage } from '../vendor-message.ts';
import { majority, mean } from './recognized-words.ts';
import type { Recognized } from './recognizer.ts';

/** Vendors emit an end of speech long before; this only bounds the memory. */
const MAX_CHARACTERS = 4_000;

/** What one message of a vendor says. Times in ms of the audio heard; null: the vendor does not tell. */
export interface Heard {
  readonly text: string;
  readonly startMs: number | null;
  readonly endMs: number | null;
  /** Of its words, or of all of it. */
  readonly confidences: readonly number[];
  /** Of its words. */
  readonly speakers: readonly string[];
  readonly language: string | null;
}

/** Returns what was heard when the vendor tells only some things. */
export function heard(text: string, known: Partial<Heard> = {}): Heard {
  return { startMs: null, endMs: null, confidences: [], speakers: [], language: null, ...known, text };
}

/** Returns these numbers of the words that have them. */
export function numbersOf(words: readonly VendorMessage[], name: string): number[] {
  return words.map((word) => numberAt(word, name)).filter((value) => value !== null);
}

/** The settled parts of what is being said. */
export class HeardUtterance {
  readonly #separator: string;
  #parts: Heard[] = [];

  constructor(separator: string) {
    this.#separator = separator;
  }

  get isEmpty(): boolean {
    return this.#parts.length === 0;
  }

  /** Whether it is so long that it should be reported. */
  get isFull(): boolean {
    return this.#parts.reduce((sum, { text }) => sum + text.length, 0) > MAX_CHARACTERS;
  }

  add(part: Heard): void {
    if (part.text !== '') this.#parts.push(part);
  }

  /** Returns what has been said, with a part that may still change. Null if it is nothing. */
  with(latest: Heard | null): Recognized | null {
    const parts = latest === null || latest.text === '' ? this.#parts : [...this.#parts, latest];
    const text = parts.map((part) => part.text).join(this.#separator);
    if (text.trim() === '') return null;
    const isTimed = parts.every(({ startMs, endMs }) => startMs !== null && endMs !== null);
    return {
      text: text.trim(),
      startMs: isTimed ? Math.round(parts[0]?.startMs ?? 0) : null,
      endMs: isTimed ? Math.round(parts.at(-1)?.endMs ?? 0) : null,
      confidence: mean(parts.flatMap(({ confidences }) => confidences)),
      language: parts.find(({ language }) => language !== null)?.language ?? null,
      speaker: majority(parts.flatMap(({ speakers }) => speakers)),
    };
  }

  /** Returns what has been said and starts anew. Null if it is nothing. */
  take(): Recognized | null {
    const whole = this.with(null);
    this.#parts = [];
    return whole;
  }
}
