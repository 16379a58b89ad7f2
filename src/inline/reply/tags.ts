import { decodeReferences } from './references.ts';

/** The tags that mean something in a reply. Everything else in angle brackets is text. */
export const TAG_NAMES = [
  'write',
  'say',
  'file',
  'accept',
  'refuse',
  'leave',
  'dm',
  'call_join',
  'dtmf',
  'react',
] as const;

export type TagName = (typeof TAG_NAMES)[number];

/** An opening tag. */
export interface Tag {
  readonly name: TagName;
  /** Values by name, in lower case, with references decoded. Of equal names the first counts. */
  readonly attributes: ReadonlyMap<string, string>;
  /** Whether text follows, up to the closing tag. */
  readonly hasBody: boolean;
}

/** What the start of a text is: so many characters of something, nothing of the kind, or more text must decide. */
export type Match<Found> = (Found & { readonly length: number }) | 'none' | 'undecided';

/** Maximum length of a tag, in UTF-16 units. */
export const LONGEST_TAG = 1_024;

const NAMES: ReadonlySet<string> = new Set(TAG_NAMES);
/** A name, as far as it is there. */
const NAME_START = /^<\/?([a-z_]*)/i;
const ATTRIBUTE = /([\w:.-]+)(?:\s*=\s*(?:"([^"<]*)"|'([^'<]*)'))?/y;
const SPACE = /\s/;
const NAME_END = /[\s/>]/;

/**
 * Reads an opening tag at the start of a text that begins with `<`. `malformed`: a known name with something else than
 * attributes behind it.
 */
export function readOpening(text: string): Match<{ readonly tag: Tag }> | { readonly malformed: TagName } {
  const name = readName(text, 1);
  if (name === 'none' || name === 'undecided') return name;
  const end = endOfTag(text, 1 + name.length);
  if (end === 'undecided') return end;
  const attributes = end === null ? null : readAttributes(text.slice(1 + name.length, end));
  if (end === null || attributes === null) return { malformed: name };
  const isClosed = text.charAt(end - 2) === '/';
  return { tag: { name, attributes, hasBody: !isClosed && takesBody(name, attributes) }, length: end };
}

/** Reads a closing tag at the start of a text that begins with `</`. */
export function readClosing(text: string): Match<{ readonly name: TagName }> {
  const name = readName(text, 2);
  if (name === 'none' || name === 'undecided') return name;
  const rest = text.slice(2 + name.length, LONGEST_TAG).trimStart();
  if (rest === '') return text.length < LONGEST_TAG ? 'undecided' : 'none';
  return rest.startsWith('>') ? { name, length: text.indexOf('>') + 1 } : 'none';
}

/**
 * Models often forget the slash of a tag without text. What stands behind `<accept>` must not vanish in it, so such
 * tags end where they are opened.
 */
export function takesBody(name: TagName, attributes: ReadonlyMap<string, string>): boolean {
  if (name === 'file') return attributes.has('name');
  return name === 'write' || name === 'say' || name === 'dm' || name === 'dtmf' || name === 'react';
}

function readName(text: string, start: number): TagName | 'none' | 'undecided' {
  const name = NAME_START.exec(text)![1]!.toLowerCase();
  const next = text.charAt(start + name.length);
  if (next === '') return TAG_NAMES.some((one) => one.startsWith(name)) ? 'undecided' : 'none';
  return NAMES.has(name) && NAME_END.test(next) ? (name as TagName) : 'none';
}

/** Null: no end within the longest tag, or another `<` before it. */
function endOfTag(text: string, from: number): number | null | 'undecided' {
  let quote = '';
  for (let at = from; at < LONGEST_TAG; at++) {
    const character = text.charAt(at);
    if (character === '') return 'undecided';
    if (character === '<') return null;
    if (character === quote) quote = '';
    else if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (quote === '' && character === '>') return at + 1;
  }
  return null;
}

/** Reads what is between a tag's name and its end, that included. Null: not only attributes. */
function readAttributes(text: string): Map<string, string> | null {
  const attributes = new Map<string, string>();
  for (let at = 0; ; at = ATTRIBUTE.lastIndex) {
    const start = afterSpace(text, at);
    const rest = text.slice(start);
    if (rest === '>' || rest === '/>') return attributes;
    ATTRIBUTE.lastIndex = start;
    const found = start > at ? ATTRIBUTE.exec(text) : null;
    if (found === null) return null;
    const name = found[1]!.toLowerCase();
    if (!attributes.has(name)) attributes.set(name, decodeReferences(found[2] ?? found[3] ?? ''));
  }
}

function afterSpace(text: string, from: number): number {
  let at = from;
  while (SPACE.test(text.charAt(at))) at += 1;
  return at;
}
