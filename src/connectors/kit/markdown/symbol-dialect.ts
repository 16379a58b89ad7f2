import { APART, withoutFences } from './apart.ts';
import type { MarkType } from './document.ts';
import { hasMarkInAddress } from './marked-address.ts';
import type { Dialect, Edges } from './rendering.ts';

export interface Symbols {
  /** Shows a text as it is. */
  readonly shown: (text: string) => string;
  readonly link: (content: string, url: string, words: string) => string;
  /** Shows an address. */
  readonly url: (url: string) => string;
  readonly bullet: string;
  /** Stands after a mark that is none. */
  readonly afterLiteral: string;
}

const SYMBOLS: Readonly<Record<MarkType, string>> = { bold: '*', italic: '_', strike: '~' };
const MARK = /[*_~`]/g;
const WORD = /[\p{L}\p{N}]/u;
/** Beside the marks of ASCII, only those of full width keep apart nothing. */
const NEEDS_SPACE = /[\p{L}\p{N}*_~`]|[^\0-\x7f]/u;

/** A platform whose marks are one character, begin and end beside spaces only, and cannot be escaped. */
export function symbolDialect({ shown, link, url, bullet, afterLiteral }: Symbols): Dialect<string> {
  const literal = (text: string): string => shown(text.replace(MARK, `$&${afterLiteral}`));
  return {
    structure: (text) => text,
    text: (text, isLiteral, edges) => (isLiteral && !isInWord(edges) ? literal(text) : shown(text)),
    join: (parts) => parts.join(''),
    mark: (type, content, edges) => marked(SYMBOLS[type], content, edges),
    code: (text) => (text.includes('`') ? literal(text) : `\`${shown(text)}\``),
    link,
    url,
    codeBlock: (_language, text) => `\`\`\`\n${shown(withoutFences(text))}\n\`\`\``,
    quote: null,
    headings: 0,
    bullet,
    rule: '———',
    marksEndWithLine: true,
  };
}

function isInWord({ before, after }: Edges): boolean {
  return WORD.test(before) && WORD.test(after);
}

/** Spaces stay outside of the marks. An address comes whole, if need be without the mark around it. */
function marked(symbol: string, content: string, { before, after }: Edges): string {
  const core = content.trim();
  if (core === '' || hasMarkInAddress(core, symbol)) return content;
  const at = content.indexOf(core);
  const [lead, trail] = [content.slice(0, at), content.slice(at + core.length)];
  const begin = lead === '' && NEEDS_SPACE.test(before) ? APART : '';
  const end = trail === '' && NEEDS_SPACE.test(after) ? APART : '';
  return `${lead}${begin}${symbol}${core}${symbol}${end}${trail}`;
}
