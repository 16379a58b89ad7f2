import type { AlignedPart } from '../tts/synthesizer.ts';

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
