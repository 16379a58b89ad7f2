import { cutText } from '../../base/cut-text.ts';
import { TAG_NAMES } from '../reply/tags.ts';

/** In UTF-16 units. */
export const LONGEST_NAME = 200;

/** Names by which the templates of models mark turns and calls of tools. Models on one's own servers may take them for real. */
const TEMPLATE_NAMES = [
  'start_of_turn',
  'end_of_turn',
  'tool_\\w+',
  'function_\\w+',
  'invoke',
  'think',
  'system',
  's>',
  '</?SYS>',
];
/** What would start a tag or a CDATA section in a reply that repeats it, and what looks like a new turn. */
const MARKUP = new RegExp(
  `<(?=/?(?:${[...TAG_NAMES, ...TEMPLATE_NAMES].join('|')})|!\\[CDATA\\[|[|\uff5c])`,
  'gi',
);
/** Our own markers, also with spaces in them, and those of turns in the templates of models. */
const MARKERS =
  /[[\uff3b](?=\s{0,9}\/?\s{0,9}(?:(?:agent|data|system_prompt|available_tools|tool_\w+)\b|INST\]))/gi;
/**
 * What nobody sees: it hides the letters of a marker, whole texts, and the order of what is read. Joiners stay where they
 * join letters and pictures, which are not ASCII.
 */
const INVISIBLE =
  /[\p{Default_Ignorable_Code_Point}--[\u200c\u200d\ufe0e\ufe0f]]|(?<![^\t\n -~])[\u200c\u200d\ufe0e\ufe0f]+(?![^\t\n -~])/gv;
const CONTROLS = /[^\P{Cc}\t\n]/gu;
const LINE_BREAKS = /\r\n?|[\u2028\u2029]/g;
const SPACES = /\s+/g;

/** The marker of the line that the gateway writes about the turn. */
export const CONTEXT_MARKER = '[agent context]';

/**
 * Prepares what people wrote or said for a model. A model that repeats it word for word must not act, so no tag and no
 * marker of the gateway survives; a reply decodes the references again. Blocks are marked by a token that people cannot
 * know, so nobody can end one. That is Microsoft's "spotlighting" (arXiv 2403.14720): it lowers the risk, and only
 * authorisation of every action removes it.
 */
export class ForeignText {
  readonly #token: string;

  /** `token`: new in every turn. */
  constructor(token: string) {
    this.#token = token;
  }

  /** A text of any length, between markers on lines of their own. */
  block(text: string): string {
    return `[data ${this.#token}]\n${escaped(text)}\n[/data ${this.#token}]`;
  }

  /** A name or the like, in quotes on one line. */
  name(text: string): string {
    const line = oneLine(text).replaceAll('"', "'");
    return `"${escaped(cutText(line, LONGEST_NAME))}"`;
  }

  /** Data in JSON, on one line. */
  json(data: unknown): string {
    return escaped(oneLine(JSON.stringify(data)));
  }
}

/** A text on one line, for a line of a block. */
export function oneLine(text: string): string {
  return text.replaceAll(SPACES, ' ').trim();
}

function escaped(text: string): string {
  return text
    .toWellFormed()
    .replaceAll(LINE_BREAKS, '\n')
    .replaceAll(CONTROLS, '')
    .replaceAll(INVISIBLE, '')
    .replaceAll(MARKUP, '&lt;')
    .replaceAll(MARKERS, '&#91;');
}
