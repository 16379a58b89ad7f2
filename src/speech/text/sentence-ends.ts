import { endsWithAbbreviation } from './abbreviations.ts';

const SENTENCES = new Intl.Segmenter('en', { granularity: 'sentence' });
const SPACE = /\s/;
const ASCII_END = 0x80;

/**
 * Returns where the sentences of a text end, in UTF-16 units. The last end is that of the text. Based on Unicode's
 * rules (UAX #29), which also know full stops that no space follows, as in Chinese; but they would cut after "Dr.", in
 * "a?b=c" and between the lines of a blank paragraph.
 */
export function sentenceEnds(text: string): number[] {
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
