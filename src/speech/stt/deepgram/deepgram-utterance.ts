import { numberAt, objectAt, objectsAt, textAt, textsAt, type VendorMessage } from '../../vendor-message.ts';
import { majority, mean } from '../recognized-words.ts';
import type { Recognized } from '../recognizer.ts';

/** Deepgram emits an end of speech long before; this only bounds the memory. */
const MAX_CHARACTERS = 4_000;

/** What one result of Deepgram says. Times in ms of the audio heard. */
export interface DeepgramResult {
  readonly text: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly confidences: readonly number[];
  readonly speakers: readonly string[];
  readonly language: string | null;
}

/** Reads the best alternative of a `Results` message. `heardMs` maps the vendor's milliseconds. */
export function readResult(message: VendorMessage, heardMs: (vendorMs: number) => number): DeepgramResult {
  const best = objectsAt(objectAt(message, 'channel'), 'alternatives')[0] ?? {};
  const words = objectsAt(best, 'words');
  const start = numberAt(message, 'start') ?? 0;
  const end = start + (numberAt(message, 'duration') ?? 0);
  const ms = (seconds: number | null | undefined, otherwise: number): number =>
    heardMs(1_000 * (seconds ?? otherwise));
  return {
    text: (textAt(best, 'transcript') ?? '').trim(),
    startMs: ms(words[0] && numberAt(words[0], 'start'), start),
    endMs: ms(words.at(-1) && numberAt(words.at(-1) ?? {}, 'end'), end),
    confidences: words.length > 0 ? numbersOf(words, 'confidence') : numbersOf([best], 'confidence'),
    speakers: numbersOf(words, 'speaker').map((speaker) => `${speaker}`),
    language: textsAt(best, 'languages')[0] ?? (words[0] ? textAt(words[0], 'language') : null),
  };
}

/** The settled results of what is being said. */
export class DeepgramUtterance {
  #results: DeepgramResult[] = [];
  #characters = 0;

  /** Whether it is so long that it should be reported. */
  get isFull(): boolean {
    return this.#characters > MAX_CHARACTERS;
  }

  add(result: DeepgramResult): void {
    if (result.text === '') return;
    this.#results.push(result);
    this.#characters += result.text.length;
  }

  /** Returns what has been said, with a result that may still change. Null if it is nothing. */
  with(latest: DeepgramResult | null): Recognized | null {
    const results = latest === null || latest.text === '' ? this.#results : [...this.#results, latest];
    const [first, last] = [results[0], results.at(-1)];
    if (first === undefined || last === undefined) return null;
    return {
      text: results.map(({ text }) => text).join(' '),
      startMs: Math.round(first.startMs),
      endMs: Math.round(last.endMs),
      confidence: mean(results.flatMap(({ confidences }) => confidences)),
      language: results.find(({ language }) => language !== null)?.language ?? null,
      speaker: majority(results.flatMap(({ speakers }) => speakers)),
    };
  }

  /** Returns what has been said and starts anew. Null if it is nothing. */
  take(): Recognized | null {
    const whole = this.with(null);
    this.#results = [];
    this.#characters = 0;
    return whole;
  }
}

function numbersOf(words: readonly VendorMessage[], name: string): number[] {
  return words.map((word) => numberAt(word, name)).filter((value) => value !== null);
}
