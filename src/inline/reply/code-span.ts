import { LONGEST_TAG } from './tags.ts';

/** The line that opens a block of code (CommonMark 0.31, section 4.5). */
export interface Fence {
  /** The characters of the fence, such as three backticks. */
  readonly mark: string;
  /** What is behind it, such as the language. */
  readonly info: string;
  /** Of the line, with its end. */
  readonly length: number;
}

/** Code spans and lines of fences are looked for this far. */
const LONGEST_SPAN = LONGEST_TAG;
const RUN = /`+/g;
const FENCE = /^(`{3,}|~{3,})([^\n]*)/;

/** Reads a fence at the start of a text that is at the start of a line, behind its indentation. */
export function readFence(text: string, isWhole: boolean): Fence | 'none' | 'undecided' {
  const line = lineOf(text, isWhole);
  const [, mark, info] = FENCE.exec(line ?? text.slice(0, LONGEST_SPAN)) ?? [];
  if (line === null) return couldFence(text) ? 'undecided' : 'none';
  if (mark === undefined || info === undefined || (mark.startsWith('`') && info.includes('`'))) return 'none';
  return { mark, info: info.trim(), length: line.length };
}

/** Whether a line without its end may become a fence. */
function couldFence(text: string): boolean {
  if (text.length >= LONGEST_SPAN) return false;
  const first = text.charAt(0);
  const marks = text.length > 2 ? text.slice(0, 3) : text;
  if (marks !== first.repeat(marks.length)) return false;
  return first === '~' || !text.replace(/^`+/, '').includes('`');
}

/** Length of the first line of a block of code that was opened by `mark`, as far as it is there, and what it is. */
export function readFencedLine(
  text: string,
  mark: string,
  isWhole: boolean,
): { readonly length: number; readonly kind: 'code' | 'part_of_code' | 'end' } | 'undecided' {
  const line = lineOf(text, isWhole);
  const bare = (line ?? text.slice(0, LONGEST_SPAN)).trim();
  const isRun = bare === mark.charAt(0).repeat(bare.length);
  if (line !== null)
    return { length: line.length, kind: isRun && bare.length >= mark.length ? 'end' : 'code' };
  if (isRun && text.length < LONGEST_SPAN) return 'undecided';
  return { length: Math.min(text.length, LONGEST_SPAN), kind: 'part_of_code' };
}

/**
 * Length of the code span at the start of a text that begins with a backtick: as many backticks close it as open it
 * (CommonMark 0.31, section 6.1). It ends on its line. If there is none, that of the backticks, which are text.
 */
export function codeSpanLength(text: string, isWhole: boolean): number | 'undecided' {
  const line = lineOf(text, isWhole) ?? text.slice(0, LONGEST_SPAN);
  const isDecided =
    isWhole || line.length < text.length || line.endsWith('\n') || line.length >= LONGEST_SPAN;
  let opened = 0;
  for (const { 0: run, index } of line.matchAll(RUN)) {
    const end = index + run.length;
    // More backticks may follow.
    if (!isDecided && end === line.length) return 'undecided';
    if (index === 0) opened = run.length;
    else if (run.length === opened) return end;
  }
  return isDecided ? opened : 'undecided';
}

/** The first line with its end; null while more of it may follow, and if it is longer than all that counts. */
function lineOf(text: string, isWhole: boolean): string | null {
  const end = text.slice(0, LONGEST_SPAN).indexOf('\n');
  if (end >= 0) return text.slice(0, end + 1);
  return isWhole && text.length < LONGEST_SPAN ? text : null;
}
