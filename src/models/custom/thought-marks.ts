/**
 * The marks between which models think, and the control tokens of their templates. Servers that do not know a model's
 * template leave them in the text.
 */

/** Qwen, DeepSeek, Seed, prompts for Claude, and what others write by themselves. */
const TAGS = [
  'think',
  'thinking',
  'thought',
  'thoughts',
  'reasoning',
  'reflection',
  'scratchpad',
  'analysis',
  'seed:think',
  'antthinking',
  'antml:thinking',
];

/** Beginnings and ends of Magistral, Kimi, Command, Apertus, OpenThinker, MedGemma and Gemma. */
const PAIRS: readonly (readonly [string, string])[] = [
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
  ['<|start_thinking|>', '<|end_thinking|>'],
  ['<|inner_prefix|>', '<|inner_suffix|>'],
  ['<|begin_of_thought|>', '<|end_of_thought|>'],
  ['<unused94>', '<unused95>'],
  ['<|channel>', '<channel|>'],
];

/** Tokens of Gemma's template, which have no bars. */
const TURNS = ['<start_of_turn>', '<end_of_turn>'];

const names = TAGS.join('|');
const attributes = '(?:\\s[^<>]{0,64})?';
const begins = PAIRS.map(([begin]) => escaped(begin)).join('|');
const ends = PAIRS.map(([, end]) => escaped(end)).join('|');

/** A thought begins. */
const BEGIN = new RegExp(`<(?:${names})${attributes}>|${begins}`, 'iy');
/** A thought ends. */
const END = new RegExp(`</(?:${names})\\s{0,8}>|${ends}`, 'iy');
/** A control token, by its name. The second form is DeepSeek's. */
const TOKEN = /<\|(?<name>[\w. -]{1,40})\|>|<\uff5c[^<>\uff5c]{1,40}\uff5c>|<(?:start|end)_of_turn>/iy;

const LITERALS = [...TAGS.flatMap((name) => [`<${name}>`, `</${name}>`]), ...PAIRS.flat(), ...TURNS].map(
  (mark) => mark.toLowerCase(),
);
const UNFINISHED = new RegExp(
  `^(?:<(?:${names})\\s[^<>]{0,64}|</(?:${names})\\s{0,8}|<\\|[\\w. -]{0,40}\\|?|<\\uff5c[^<>\\uff5c]{0,40}\\uff5c?)$`,
  'i',
);

/** Characters of the longest mark. */
export const LONGEST = 96;

/** What stands at a place of a text. */
export type Mark =
  | { readonly kind: 'begin' | 'end'; readonly length: number }
  | { readonly kind: 'token'; readonly length: number; readonly name: string };

/** The characters with which marks begin. */
export const MARK_START = /[<[\u25c1]/;

/** Reads the mark at a place. Null: there is none. */
export function markAt(text: string, at: number): Mark | null {
  for (const [kind, pattern] of [['begin', BEGIN] as const, ['end', END] as const]) {
    const found = matchAt(pattern, text, at);
    if (found) return { kind, length: found[0].length };
  }
  const token = matchAt(TOKEN, text, at);
  return token && { kind: 'token', length: token[0].length, name: (token.groups?.name ?? '').toLowerCase() };
}

/** Whether a text that ends here may become a mark when more of it comes. */
export function mayBecomeMark(tail: string): boolean {
  if (tail.length > LONGEST) return false;
  const lower = tail.toLowerCase();
  return LITERALS.some((mark) => mark.startsWith(lower)) || UNFINISHED.test(tail);
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function escaped(text: string): string {
  return text.replace(/[[\]|/]/g, '\\$&');
}
