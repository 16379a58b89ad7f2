const WORDS = new Intl.Segmenter('en', { granularity: 'word' });

/** Returns the words that lie wholly in the first `length` UTF-16 units of a text, with what is between them. */
export function wholeWords(text: string, length: number): string {
  if (length >= text.length) return text;
  const cut = WORDS.segment(text).containing(Math.max(0, length));
  return text.slice(0, cut?.index ?? 0).trimEnd();
}
