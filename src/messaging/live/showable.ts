/** A link that has begun and not ended, from its bracket on. */
const UNFINISHED_LINK = /^\[[^\]\n]*(?:\](?:\([^)\s]*)?)?$/;
/** Marks that begin something of which no word is there yet. */
const BARE_MARKS = /(?<=^|\s)[*_~`]+$/;
const LAST_WORD = /\s\S*$/;
const FENCE_LINE = /^ {0,3}(`{3,}|~{3,})/;
const TABLE = /^ {0,3}\|/m;
/** A heading that may go on, at the end of a text. */
const LAST_HEADING = /(?:^|\n) {0,3}#{1,6}(?: [^\n]*)?$/;
const MARK = /[[\]]|[*_~`]+/g;
const LETTER = /[\p{L}\p{N}]/u;
const PARAGRAPH = /\n[ \t]*\n/;

/**
 * Returns what can be shown of a Markdown text that is still being written: whole words, no half of a link, and with the
 * ends of what is open, so that marks do not appear and go again. A block of code that is open is one up to its end.
 */
export function showable(source: string): string {
  const words = wholeWords(source);
  if (openFence(words) !== null) return words.trimEnd();
  const begun = withoutLink(words).replace(BARE_MARKS, '').trimEnd();
  const last = begun.slice(begun.length - (begun.split(PARAGRAPH).at(-1) ?? '').length);
  return begun + endsOf(last);
}

/**
 * Returns what can be shown where nothing that is shown may change: what comes before whatever is open, or a table, whose
 * columns are not known yet.
 */
export function settled(source: string): string {
  const words = wholeWords(source);
  const fence = openFence(words);
  if (fence !== null) return words.slice(0, fence).trimEnd();
  const last = words.split(PARAGRAPH).at(-1) ?? '';
  const before = words.slice(0, words.length - last.length);
  return (TABLE.test(last) ? before : before + closedPart(last.replace(LAST_HEADING, ''))).trimEnd();
}

function wholeWords(source: string): string {
  const lastWord = LAST_WORD.exec(source);
  // Languages without spaces, and the first word.
  return lastWord === null ? source : source.slice(0, lastWord.index);
}

/** A paragraph up to where something is open. */
function closedPart(paragraph: string): string {
  const open = new Set<string>();
  let openAt = paragraph.length;
  for (const { 0: mark, index } of paragraph.matchAll(MARK)) {
    const code = [...open].find((each) => each.startsWith('`'));
    if (code !== undefined ? mark !== code : !mayOpen(paragraph, mark, index)) continue;
    if (mark === ']') open.delete('[');
    else if (!open.delete(mark)) {
      if (open.size === 0) openAt = index;
      open.add(mark);
    }
  }
  return open.size === 0 ? paragraph : paragraph.slice(0, openAt);
}

/** Bullets and signs between words open nothing, nor do underscores within names. */
function mayOpen(text: string, mark: string, at: number): boolean {
  const [before = ' ', after = ' '] = [text[at - 1], text[at + mark.length]];
  if (mark.startsWith('_')) return !LETTER.test(before) || !LETTER.test(after);
  return !mark.startsWith('*') || before.trim() !== '' || after.trim() !== '';
}

/** Where the block of code begins that is open; null: none is. */
function openFence(text: string): number | null {
  let open: { readonly marks: string; readonly at: number } | null = null;
  let at = 0;
  for (const line of text.split('\n')) {
    const [, marks] = FENCE_LINE.exec(line) ?? [];
    if (marks !== undefined) {
      if (open === null) open = { marks, at };
      else if (marks[0] === open.marks[0] && marks.length >= open.marks.length) open = null;
    }
    at += line.length + 1;
  }
  return open?.at ?? null;
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
