import { cutText } from './cut-text.ts';

/** Returns the start of a foreign text as valid Unicode in one line: transcripts are read line by line. */
export function oneLine(text: string, most: number): string {
  const line = cutText(text.trim(), most).replace(/[\s\p{Cc}]+/gu, ' ');
  return line.trim().toWellFormed();
}
