/** A link that has begun and not ended, from its bracket on. */
const UNFINISHED_LINK = /^\[[^\]\n]*(?:\](?:\([^)\s]*)?)?$/;
/** Marks that begin something of which no word is there yet. */
const BARE_MARKS = /(?<=^|\s)[*_~`]+$/;
const LAST_WORD = /\s\S*$/;
const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})/;
const PARAGRAPH = /\n[ \t]*\n/;

/**
 * Returns what can be shown of a Markdown text that is still being written: whole words, no half of a link, and with the
 * ends of what is open, so that marks do not appear and go again. A block of code that is open is one up to its end.
 */
export function showable(source: string): string {
  const lastWord = LAST_WORD.exec(source);
  // Languages without spaces, and the first word.
  const words = lastWord === null ? source : source.slice(0, lastWord.index);
  if (isInFence(words)) return words.trimEnd();
  const begun = withoutLink(words).replace(BARE_MARKS, '').trimEnd();
  const last = begun.slice(begun.length - (begun.split(PARAGRAPH).at(-1) ?? '').length);
  return begun + endsOf(last);
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

function withoutLink(text: string): string {
  const at = text.lastIndexOf('[');
  if (at < 0 || !UNFINISHED_LINK.test(text.slice(at))) return text;
  return text.slice(0, text[at - 1] === '!' ? at - 1 : at);
}

/** The marks that end what a paragraph has begun: code, or bold and struck text. */
function endsOf(paragraph: string): string {
  let open: string | null = null;
  let prose = '';
  let readTo = 0;
  for (const { 0: run, index } of paragraph.matchAll(/`+/g)) {
    if (open === null) prose += paragraph.slice(readTo, index);
    open = open === null ? run : open === run ? null : open;
    readTo = index + run.length;
  }
  if (open === null) prose += paragraph.slice(readTo);
  const marks = ['**', '~~'].filter((mark) => prose.split(mark).length % 2 === 0);
  return (open ?? '') + marks.toReversed().join('');
}
