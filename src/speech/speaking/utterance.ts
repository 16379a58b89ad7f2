import type { SpeechFault } from '../speech-fault.ts';
import type { SaidUtterance, UtteranceReport } from '../transport/speech-protocol.ts';
import type { AlignedPart, SpokenPiece } from '../tts/synthesizer.ts';

/** Shortest length of a spoken character. What is asked for ahead lasts at least this long. */
const LEAST_MS_PER_CHARACTER = 50;
/** Limits on what a vendor may report of one utterance. It may write numbers out, so the text may become longer. */
const MAX_PARTS = 20_000;
const MAX_PARTS_CHARACTERS = 40_000;

/** A text on its way from `say` to the last sample. */
export class Utterance {
  readonly utteranceId: string;
  readonly generation: number;
  /** Samples of its audio that have arrived. */
  appended = 0;
  /** Nothing more of its audio will come. */
  isWhole: boolean;
  isStarted = false;
  /** When its first audio came, by `wallMs`. */
  audioMs: number | null = null;
  fault: SpeechFault | null = null;
  /** When the vendor was last asked for a piece, or last sent audio. Monotonic. */
  activeMs = 0;
  readonly #text: string;
  readonly #pieces: readonly string[];
  readonly #parts: AlignedPart[] = [];
  #partsCharacters = 0;
  #asked = 0;
  #askedCharacters = 0;

  constructor({ utteranceId, text, generation }: SaidUtterance, pieces: readonly string[]) {
    this.utteranceId = utteranceId;
    this.generation = generation;
    this.#text = text;
    this.#pieces = pieces;
    this.isWhole = pieces.length === 0;
  }

  /** Whether the vendor has been asked for some of it. */
  get isAsked(): boolean {
    return this.#asked > 0;
  }

  get isAskedWhole(): boolean {
    return this.#asked === this.#pieces.length;
  }

  /** Length of what has been asked for, at least. */
  get leastMs(): number {
    return this.#askedCharacters * LEAST_MS_PER_CHARACTER;
  }

  /** Takes the next piece to ask for. */
  nextPiece(): SpokenPiece {
    const text = this.#pieces[this.#asked] as string;
    this.#asked++;
    this.#askedCharacters += text.length;
    return { utteranceId: this.utteranceId, text, isLast: this.isAskedWhole };
  }

  align(parts: readonly AlignedPart[]): void {
    for (const part of parts) {
      this.#partsCharacters += part.text.length;
      if (this.#parts.length >= MAX_PARTS || this.#partsCharacters > MAX_PARTS_CHARACTERS) return;
      this.#parts.push(part);
    }
  }

  /** What has become of it, with so many milliseconds played. */
  report(state: UtteranceReport['state'], playedMs: number, audioMs: number): UtteranceReport {
    const { utteranceId } = this;
    const shown = { utteranceId, state, playedMs: Math.round(playedMs), audioMs: this.audioMs };
    if (state === 'finished') return { ...shown, spokenText: this.#text, isEstimate: false };
    if (state === 'started' || playedMs === 0) return { ...shown, spokenText: '', isEstimate: false };
    if (this.#parts.length > 0)
      return { ...shown, spokenText: alignedText(this.#parts, playedMs), isEstimate: false };
    const spokenText = estimatedText(this.#text, playedMs, { audioMs, isWhole: this.isWhole });
    return { ...shown, spokenText, isEstimate: true };
  }
}

/** Typical length of a spoken character, for texts whose audio has not all arrived. */
const MS_PER_CHARACTER = 65;

/** What was heard of a text: exactly, by the times at which the vendor says that its parts start. */
export function alignedText(parts: readonly AlignedPart[], playedMs: number): string {
  return parts
    .filter(({ startMs }) => startMs < playedMs)
    .map(({ text }) => text)
    .join('')
    .trim();
}

/**
 * What was probably heard of a text: as much of its words as of its audio. `audioMs` is the length of the audio so far;
 * `isWhole` says that no more will come.
 */
export function estimatedText(
  text: string,
  playedMs: number,
  { audioMs, isWhole }: { readonly audioMs: number; readonly isWhole: boolean },
): string {
  const wholeMs = isWhole ? audioMs : Math.max(audioMs, text.length * MS_PER_CHARACTER);
  if (playedMs <= 0 || wholeMs <= 0) return '';
  if (playedMs >= wholeMs) return text;
  return wholeWords(text, Math.floor((text.length * playedMs) / wholeMs));
}

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/** Returns the words that lie wholly in the first `length` UTF-16 units of a text, with what is between them. */
function wholeWords(text: string, length: number): string {
  if (length >= text.length) return text;
  const cut = WORDS.segment(text).containing(Math.max(0, length));
  return text.slice(0, cut?.index ?? 0).trimEnd();
}
