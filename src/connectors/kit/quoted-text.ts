import { cutText } from '../../base/cut-text.ts';

const MAX_QUOTE = 200;

/** Returns the line that stands in front of a reply and shows what it answers; '' for a text without words. */
export function quoted(author: string, text: string): string {
  const words = text.replace(/\s+/g, ' ').trim();
  if (words === '') return '';
  const short = words.length > MAX_QUOTE ? `${cutText(words, MAX_QUOTE - 1)}…` : words;
  return `> ${author === '' ? '' : `${author}: `}${short}`;
}

/** Returns the line in front of a message that was passed on. */
export function forwarded(author: string): string {
  return author === '' ? '[forwarded]' : `[forwarded from ${author}]`;
}

/** Joins the lines that have something in them. */
export function linesOf(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n');
}
