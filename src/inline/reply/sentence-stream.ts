import { cutText } from '../../base/cut-text.ts';
import { endsWithAbbreviation } from '../../speech/text/abbreviations.ts';

/** A shorter sentence is spoken together with the next one: its audio would end before that arrives. */
const SHORTEST = 20;
/** Maximum length of a sentence, in UTF-16 units. A longer one is cut between words. */
const LONGEST = 1_000;
/** Enough for any abbreviation. */
const TAIL = 32;

const NARROW_STOPS = '.!?';
/** Stops that no space follows, as in Chinese. */
const WIDE_STOP = /[^\P{Sentence_Terminal}.!?]/u;
/** These may follow a stop in its sentence. */
const CLOSING = /[\p{Pe}\p{Pf}"'*_]/u;
/** Before one of these no sentence ends. */
const CONTINUING = /[,:;\u2013\u2014-]/;
const SMALL_LETTER = /\p{Ll}/u;
const SPACE = /\s/;

/**
 * Cuts a text into sentences while it arrives. `speech/text/sentence-ends` must see the whole text; this decides at the
 * first character of the next sentence, so the parts that the text arrives in make no difference. A line ends a
 * sentence.
 */
export class SentenceStream {
  readonly #onSentence: (text: string) => void;
  #text = '';
  /** What may have ended the sentence; null: nothing so far. */
  #stop: '.' | '!' | 'wide' | null = null;
  /** The stop is followed by space. */
  #isInGap = false;
  /** Where the last space is; 0: there is none. */
  #space = 0;

  constructor(onSentence: (text: string) => void) {
    this.#onSentence = onSentence;
  }

  push(text: string): void {
    for (let at = 0; at < text.length; at++) this.#add(text.charAt(at));
  }

  /** The text has ended: the rest is its last sentence. */
  end(): void {
    this.#cutAt(this.#text.length, 1);
  }

  #add(character: string): void {
    if (this.#endsBefore(character)) this.#cutAt(this.#text.length, SHORTEST);
    const isSpace = SPACE.test(character);
    if (isSpace && this.#text === '') return;
    if (isSpace) this.#space = this.#text.length;
    const stop = stopOf(character);
    if (stop !== null) {
      this.#stop = stop;
      this.#isInGap = false;
    }
    this.#text += character;
    if (character === '\n') this.#cutAt(this.#text.length, SHORTEST);
    if (this.#text.length >= LONGEST) this.#cutAt(this.#space || cutText(this.#text, LONGEST).length, 1);
  }

  #endsBefore(character: string): boolean {
    const stop = this.#stop;
    if (stop === null) return false;
    if (!this.#isInGap && (stopOf(character) !== null || CLOSING.test(character))) return false;
    if (stop !== 'wide' && SPACE.test(character)) {
      if (this.#isInGap || !endsWithAbbreviation(this.#text.slice(-TAIL))) this.#isInGap = true;
      else this.#stop = null;
      return false;
    }
    this.#stop = null;
    if (stop === 'wide') return true;
    // Without a space it is a point within a word, as in "3.14".
    if (!this.#isInGap || stopOf(character) !== null || CONTINUING.test(character)) return false;
    return stop === '!' || !SMALL_LETTER.test(character);
  }

  /** Gives out the text up to there, unless it is too short. */
  #cutAt(end: number, shortest: number): void {
    const sentence = this.#text.slice(0, end).trim();
    if (sentence.length < shortest) return;
    this.#text = this.#text.slice(end).trimStart();
    this.#space = 0;
    this.#onSentence(sentence);
  }
}

function stopOf(character: string): '.' | '!' | 'wide' | null {
  if (NARROW_STOPS.includes(character)) return character === '.' ? '.' : '!';
  return WIDE_STOP.test(character) ? 'wide' : null;
}
