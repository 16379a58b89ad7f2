/** A text is split into this many parts at most. */
export const MOST_PARTS = 20;

const SPACE = /\s/g;
/** Places to split at, the best one first: paragraphs, lines, sentences, words. */
const PLACES: readonly RegExp[] = [/\n\n/g, /\n/g, /[.!?\u2026\u3002\uff01\uff1f]["')\]]?\s/g, SPACE];
/** No part should be shorter than this share of what fits. */
const SHORTEST = 0.5;
const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/**
 * Splits a text into parts that fit. It ends a part at a paragraph, a line, a sentence or a word, and closes a block of code there
 * to open it again in the next part. Returns null when some part cannot fit, or there would be more than MOST_PARTS.
 */
export function splitText(text: string, fits: (part: string) => boolean): readonly string[] | null {
  const parts: string[] = [];
  let rest = text;
  while (!fits(rest)) {
    const end = endOfPart(rest, fits);
    if (end === 0 || parts.length === MOST_PARTS - 1) return null;
    const part = rest.slice(0, end).trimEnd();
    const open = openFence(part);
    parts.push(open === null ? part : `${part}\n${open.marks}`);
    const next = rest.slice(end).replace(open === null ? /^\s+/ : /^\n/, '');
    const again = open === null ? next : `${open.marks}${open.info}\n${next}`;
    // Nothing but the beginning of a block of code fits.
    if (again.length >= rest.length) return null;
    rest = again;
  }
  return rest === '' ? parts : [...parts, rest];
}

/** Returns where the first part of a text ends that does not fit as a whole; 0: nowhere. */
function endOfPart(text: string, fits: (part: string) => boolean): number {
  const fitsTo = (end: number): boolean => {
    const part = text.slice(0, end).trimEnd();
    const open = openFence(part);
    return fits(open === null ? part : `${part}\n${open.marks}`);
  };
  const most = longest(text.length, fitsTo);
  const head = text.slice(0, most);
  for (const place of PLACES) {
    const end = lastPlace(head, place, most * SHORTEST);
    if (end > 0 && fitsTo(end)) return end;
  }
  return lastPlace(head, SPACE, 0) || wholeCharacters(text, most);
}

/** Returns the largest number up to `most` that `isGood` accepts, if it accepts all smaller ones. */
function longest(most: number, isGood: (count: number) => boolean): number {
  let [good, bad] = [0, most];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (isGood(middle)) good = middle;
    else bad = middle;
  }
  return good;
}

/** Returns the end of the last match; 0: there is none that ends after `after`. */
function lastPlace(text: string, place: RegExp, after: number): number {
  let end = 0;
  for (const match of text.matchAll(place)) end = match.index + match[0].length;
  return end > after ? end : 0;
}

/** A character of two units stays whole. */
function wholeCharacters(text: string, end: number): number {
  const isInside = /^[\udc00-\udfff]/.test(text.slice(end, end + 1));
  return isInside ? end - 1 : end;
}

interface Fence {
  readonly marks: string;
  /** The language. */
  readonly info: string;
}

/** Returns the block of code that is open at the end of a text. */
function openFence(text: string): Fence | null {
  let open: Fence | null = null;
  for (const line of text.split('\n')) {
    const [all = '', marks = ''] = FENCE.exec(line) ?? [];
    if (marks === '') continue;
    const info = line.slice(all.length).trim();
    if (open === null) open = { marks, info };
    else if (marks.startsWith(open.marks) && info === '') open = null;
  }
  return open;
}
