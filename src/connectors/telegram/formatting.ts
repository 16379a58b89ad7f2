/** A stretch of text that looks different; offset and length in UTF-16 units, as Telegram counts here. */
export interface TextEntity {
  readonly type: 'bold' | 'italic' | 'code' | 'pre' | 'text_link';
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly TextEntity[];
}

interface Mark {
  readonly type: TextEntity['type'];
  /** Sticky. Group `inner` is what the mark is put on. */
  readonly pattern: RegExp;
  /** Whether marks count within it. */
  readonly nests: boolean;
}

/** A mark opens where no word goes on, and closes where none does: `snake_case_name` and `2*3*4` are no marks. */
const OPEN = String.raw`(?<![\p{L}\p{N}_*])`;
const CLOSE = String.raw`(?![\p{L}\p{N}_*])`;

function mark(type: Mark['type'], pattern: string, nests: boolean): Mark {
  return { type, pattern: new RegExp(pattern, 'uy'), nests };
}

/** Longer marks first. What stands in a line without its counterpart is text. */
const MARKS: readonly Mark[] = [
  mark('pre', '```(?:(?<language>[\\w+#.-]+)?\\n)?(?<inner>[^`](?:[^`]|`(?!``))*?)\\n?```', false),
  mark('code', '`(?<inner>[^`\\n]+)`', false),
  mark('text_link', '\\[(?<inner>[^\\[\\]\\n]+)\\]\\((?<url>https?://[^\\s()]+)\\)', true),
  mark('bold', `${OPEN}\\*\\*(?<inner>[^\\s*](?:[^*\\n]*[^\\s*])?)\\*\\*${CLOSE}`, true),
  mark('bold', `${OPEN}\\*(?<inner>[^\\s*](?:[^*\\n]*[^\\s*])?)\\*${CLOSE}`, true),
  mark('italic', `${OPEN}_(?<inner>[^\\s_](?:[^_\\n]*[^\\s_])?)_${CLOSE}`, true),
];

/** By the character that they begin with. */
const MARKS_AT: Readonly<Record<string, readonly Mark[]>> = {
  '`': MARKS.filter(({ type }) => type === 'pre' || type === 'code'),
  '[': MARKS.filter(({ type }) => type === 'text_link'),
  '*': MARKS.filter(({ type }) => type === 'bold'),
  _: MARKS.filter(({ type }) => type === 'italic'),
};

const BEGINS = /[`[*_]/g;
/** Twice the longest text that Telegram takes. In a longer one nobody looks for marks. */
const MAX_CHARACTERS = 8_192;

/** More are left out by Telegram. */
const MAX_ENTITIES = 100;

/**
 * The common subset of the specification (`*bold*`, `_italic_`, code, blocks of code) and links, as text and entities.
 * Telegram's own parsing refuses a message for one mark too many, and loses the underscores of names.
 */
export function formatted(source: string): FormattedText {
  if (source.length > MAX_CHARACTERS) return { text: source, entities: [] };
  const entities: TextEntity[] = [];
  const text = append('', source, entities);
  entities.sort((one, other) => one.offset - other.offset || other.length - one.length);
  return { text, entities: entities.slice(0, MAX_ENTITIES) };
}

/** `before` and what `source` looks like; its entities are added to `entities`. */
function append(before: string, source: string, entities: TextEntity[]): string {
  let text = before;
  let at = 0;
  while (at < source.length) {
    BEGINS.lastIndex = at;
    const begin = BEGINS.exec(source)?.index ?? source.length;
    text += source.slice(at, begin);
    at = begin;
    if (at === source.length) break;
    const found = markAt(source, at);
    if (found) {
      text = appendMarked(text, found, entities);
      at += found.length;
    } else {
      const end = textEnd(source, at);
      text += source.slice(at, end);
      at = end;
    }
  }
  return text;
}

/** Behind what begins no mark: of a row of stars or underscores only the first could have begun one. */
function textEnd(source: string, at: number): number {
  const character = source[at];
  let end = at + 1;
  if (character === '*' || character === '_') while (source[end] === character) end++;
  return end;
}

interface Found {
  readonly mark: Mark;
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** Of the whole, marks and all. */
  readonly length: number;
}

function markAt(source: string, at: number): Found | null {
  for (const candidate of MARKS_AT[source[at]!] ?? []) {
    candidate.pattern.lastIndex = at;
    const match = candidate.pattern.exec(source);
    // A mark around nothing but space would leave nothing to see.
    if (match?.groups?.inner?.trim())
      return { mark: candidate, groups: match.groups, length: match[0].length };
  }
  return null;
}

function appendMarked(
  before: string,
  { mark: { type, nests }, groups }: Found,
  entities: TextEntity[],
): string {
  const inner = groups.inner ?? '';
  const text = nests ? append(before, inner, entities) : before + inner;
  const { url, language } = groups;
  entities.push({
    type,
    offset: before.length,
    length: text.length - before.length,
    ...(url === undefined ? {} : { url }),
    ...(language === undefined ? {} : { language }),
  });
  return text;
}
