import type { RecognizedLine } from '../../../src/base/speech.ts';

const UNKNOWN = { startMs: null, endMs: null, confidence: null, language: null };

/** A line of which nothing else is known. */
export function lineOf(
  speaker: string,
  text: string,
  known: Partial<Omit<RecognizedLine, 'speaker' | 'text'>> = {},
): RecognizedLine {
  return { speaker, text, ...UNKNOWN, ...known };
}
