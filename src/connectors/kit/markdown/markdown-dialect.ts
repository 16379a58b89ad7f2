import { withoutFences } from './apart.ts';
import type { MarkType } from './document.ts';
import { hasMarkInAddress } from './marked-address.ts';
import type { Dialect } from './rendering.ts';

export interface Flavour {
  /** Shows a text as it is, apart from the marks of Markdown. */
  readonly shown: (text: string) => string;
  /** As in Dialect. */
  readonly headings: number;
  /**
   * Takes any two marks for a pair, also where one of them is part of an address, two lines for one around a spoiler, and three
   * backticks for the end of a block of code, however many have begun it.
   */
  readonly pairsMarks?: boolean;
}

const SYMBOLS: Readonly<Record<MarkType, string>> = { bold: '**', italic: '_', strike: '~~' };
/** What a reader would take for a fence, as where a platform has no headings and their mark is left out. */
const FENCE = /~~~|```/g;
/** What a reader would take for the beginning of marks around what follows, such as an address. */
const LONE = /(?<![*_~])[*_~]+$/;
const RUN = /[*_~]+/g;
const PAIRED = /```|\|\|/g;
const WORD = /[\p{L}\p{N}]/u;
/** What a reader would take for a definition, which it does not show. */
const DEFINITION = /^\[(?=[^\]]{1,999}\]:)/;
const PUNCTUATION = /[!-/:-@[-`{-~]/g;

/** A platform that reads Markdown itself: what is written goes as it is, but for what it would read differently. */
export function markdownDialect({ shown, headings, pairsMarks = false }: Flavour): Dialect<string> {
  return {
    structure: (text) => text,
    text: (text, isLiteral, { after }) =>
      isLiteral ? escaped(text) : shown(withoutMarks(text, after, pairsMarks)),
    join: (parts) => parts.join(''),
    mark: (type, content) => marked(SYMBOLS[type], content),
    code: inlineCode,
    link: (content, url) => `[${content}](${target(url)})`,
    url: (url) => url,
    codeBlock: (language, text, indent) => {
      const fence = pairsMarks ? '```' : backticksAround(text, 3);
      const code = pairsMarks ? withoutFences(text) : text;
      return [`${fence}${language}`, ...code.split('\n'), fence].join(`\n${indent}`);
    },
    quote: null,
    headings,
    bullet: '-',
    rule: '---',
    marksEndWithLine: false,
  };
}

/** An address comes whole, if need be without the mark around it. Nothing is marked twice, which some readers take for the end. */
function marked(symbol: string, content: string): string {
  return content.includes(symbol) || hasMarkInAddress(content, symbol)
    ? content
    : `${symbol}${content}${symbol}`;
}

function withoutMarks(text: string, after: string, pairsMarks: boolean): string {
  const bare = text.replace(DEFINITION, escaped);
  if (pairsMarks) return withoutEdges(bare).replace(PAIRED, escaped);
  const fenceless = bare.replace(FENCE, escaped);
  return after === '' ? fenceless : fenceless.replace(LONE, escaped);
}

/** Marks inside of a word are none. */
function withoutEdges(text: string): string {
  return text.replace(RUN, (run, at: number) => {
    const isInWord = WORD.test(text.charAt(at - 1)) && WORD.test(text.charAt(at + run.length));
    return isInWord ? run : escaped(run);
  });
}

function escaped(text: string): string {
  return text.replace(PUNCTUATION, '\\$&');
}

function inlineCode(text: string): string {
  const marks = backticksAround(text, 1);
  const space = /^`|`$|^ .* $/s.test(text) ? ' ' : '';
  return `${marks}${space}${text}${space}${marks}`;
}

/** Returns more backticks than the text has in a row. */
function backticksAround(text: string, least: number): string {
  let most = least - 1;
  for (const [run] of text.matchAll(/`+/g)) most = Math.max(most, run.length);
  return '`'.repeat(most + 1);
}

/** Some platforms know no brackets around an address, so they are left out where they are not needed. */
function target(url: string): string {
  return isBalanced(url) && !/[\s<>]/.test(url) ? url : `<${url.replace(/[<>\n]/g, encodeURIComponent)}>`;
}

function isBalanced(url: string): boolean {
  let depth = 0;
  for (const character of url) {
    if (character === '(') depth++;
    if (character === ')') depth--;
    if (depth < 0) return false;
  }
  return depth === 0;
}
