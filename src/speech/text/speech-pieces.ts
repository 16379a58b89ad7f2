import { assert } from '../../base/assert.ts';
import { cutText } from '../../base/cut-text.ts';
import { endsWithAbbreviation } from './abbreviations.ts';

export interface PieceLimits {
  /** Maximum length of the first piece, in UTF-16 units. A short one is spoken early. */
  readonly first: number;
  /** Maximum length of all others. */
  readonly rest: number;
}

/** A shorter sentence is spoken together with the next one: its audio would end before that arrives. */
const SHORTEST = 20;
/** A cut at a clause or a space leaves at least this share of the limit. */
const LEAST_SHARE = 0.25;
/** Where a word ends is decided by the characters after it. */
const LOOKAHEAD = 32;

const WORDS = new Intl.Segmenter('en', { granularity: 'word' });
const GRAPHEMES = new Intl.Segmenter('en', { granularity: 'grapheme' });
const SPACE = /\s/;
/** These end a clause before a space. */
const CLAUSE_MARKS = new Set(',;:)]…–—');
/** These end one wherever they are. */
const WIDE_CLAUSE_MARKS = new Set('、，；：）」』》。！？');

/**
 * Cuts a text into pieces that are spoken one after the other. Joined, they are the text. Cuts are at sentences; in
 * sentences beyond the limit at clauses, else between words, else between graphemes, and never inside a character. A
 * piece may be blank.
 */
export function speechPieces(text: string, { first, rest }: PieceLimits): string[] {
  assert(Math.min(first, rest) >= 2, 'a piece has at least two UTF-16 units');
  const pieces: string[] = [];
  let from = 0;
  const cutAt = (end: number): void => {
    pieces.push(text.slice(from, end));
    from = end;
  };
  for (const end of sentenceEnds(text)) {
    for (;;) {
      const limit = pieces.length === 0 ? first : rest;
      if (end - from <= limit) break;
      cutAt(from + lengthWithin(text.slice(from, from + limit + LOOKAHEAD), limit));
    }
    if (end - from >= SHORTEST || end === text.length) cutAt(end);
  }
  return pieces;
}

/** Length of the best piece at the start of a text that is longer than `limit`. */
function lengthWithin(text: string, limit: number): number {
  const least = Math.ceil(limit * LEAST_SHARE);
  return (
    lastWhere(isClauseEnd, text, least, limit) ??
    lastWhere(isAfterSpace, text, least, limit) ??
    lastBoundary(WORDS, text, limit) ??
    lastBoundary(GRAPHEMES, text, limit) ??
    cutText(text, limit).length
  );
}

function lastWhere(
  isEnd: (text: string, at: number) => boolean,
  text: string,
  least: number,
  most: number,
): number | null {
  for (let at = most; at >= least; at--) if (isEnd(text, at)) return at;
  return null;
}

function isAfterSpace(text: string, at: number): boolean {
  return SPACE.test(text.charAt(at - 1));
}

function isClauseEnd(text: string, at: number): boolean {
  if (WIDE_CLAUSE_MARKS.has(text.charAt(at - 1))) return !WIDE_CLAUSE_MARKS.has(text.charAt(at));
  return isAfterSpace(text, at) && CLAUSE_MARKS.has(text.charAt(at - 2));
}

/** The last segment boundary up to `limit`; null when the first segment is longer. */
function lastBoundary(segmenter: Intl.Segmenter, text: string, limit: number): number | null {
  let last: number | null = null;
  for (const { index } of segmenter.segment(text)) {
    if (index > limit) break;
    if (index > 0) last = index;
  }
  return last;
}

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const ASCII_END = 0x80;

/**
 * Returns where the sentences of a text end, in UTF-16 units. The last end is that of the text. Based on Unicode's
 * rules (UAX #29), which also know full stops that no space follows, as in Chinese; but they would cut after "Dr.", in
 * "a?b=c" and between the lines of a blank paragraph.
 */
function sentenceEnds(text: string): number[] {
  const ends: number[] = [];
  let isOpen = true;
  for (const { segment, index } of SENTENCES.segment(text)) {
    const end = index + segment.length;
    if (isOpen || segment.trim() === '') ends.pop();
    ends.push(end);
    isOpen = isInsideWord(text, end) || endsWithAbbreviation(segment);
  }
  return ends;
}

/** Whether a sentence in a script with spaces would end without one: inside a URL, for example. */
function isInsideWord(text: string, end: number): boolean {
  return text.charCodeAt(end - 1) < ASCII_END && !SPACE.test(text.charAt(end - 1));
}
