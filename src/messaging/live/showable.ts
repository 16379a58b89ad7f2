/** A link, a picture or a piece of code that has begun and not ended. */
const UNFINISHED_LINK = /!?\[[^\]\n]*(?:\](?:\([^)\s]*)?)?$/;
/** Marks that begin something of which no word is there yet. */
const BARE_MARKS = /(?<=^|\s)[*_~`]+$/;
const LAST_WORD = /\s\S*$/;
const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})/;
const PARAGRAPH = /\n[ \t]*\n/;

/** What can be shown of a text. */
export interface Showable {
  /** A beginning of the text. */
  readonly prefix: string;
  /** The same with the ends of what is open. */
  readonly text: string;
}

/**
 * Returns what can be shown of a Markdown text that is still being written: whole words, no half of a link, and with the
 * ends of what is open, so that marks do not appear and go again. A block of code that is open is one up to its end.
 */
export function showable(source: string): Showable {
  const lastWord = LAST_WORD.exec(source);
  // Languages without spaces, and the first word.
  const words = lastWord === null ? source : source.slice(0, lastWord.index);
  if (isInFence(words)) return { prefix: words.trimEnd(), text: words.trimEnd() };
  const prefix = words.replace(UNFINISHED_LINK, '').replace(BARE_MARKS, '').trimEnd();
  const last = prefix.slice(prefix.length - (prefix.split(PARAGRAPH).at(-1) ?? '').length);
  return { prefix, text: prefix + endsOf(last) };
}

function isInFence(text: string): boolean {
  let open: string | null = null;
  for (const line of text.split('\n')) {
    const [, marks] = FENCE_LINE.exec(line) ?? [];
    if (marks === undefined) continue;
    if (open === null) open = marks;
    else if (marks[0] === open[0] && marks.length >= open.length) open = null;
  }
  return open !== null;
}

/** The marks that end what a paragraph has begun: code, or bold and struck text. */
function endsOf(paragraph: string): string {
  const outside = paragraph.replace(/(`+)[^`]*\1/g, '');
  const [code] = /`+/.exec(outside) ?? [];
  const marked = code === undefined ? outside : outside.slice(0, outside.indexOf(code));
  const open = ['**', '~~'].filter((mark) => marked.split(mark).length % 2 === 0);
  return (code ?? '') + open.toReversed().join('');
}
