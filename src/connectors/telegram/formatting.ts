/** A formatted range of text. Offset and length are in UTF-16 units, as Telegram counts them here. */
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
  /** Sticky pattern. Its `inner` group is the text that the mark applies to. */
  readonly pattern: RegExp;
  /** Whether marks inside `inner` are interpreted. */
  readonly nests: boolean;
}

/** A mark must not touch a word character on its outer side: `snake_case_name` and `2*3*4` contain no marks. */
const OPEN = String.raw`(?<![\p{L}\p{N}_*])`;
const CLOSE = String.raw`(?![\p{L}\p{N}_*])`;

function mark(type: Mark['type'], pattern: string, nests: boolean): Mark {
  return { type, pattern: new RegExp(pattern, 'uy'), nests };
}

/** Marks by their first character, longer ones first. A mark without its counterpart on the same line is plain text. */
const MARKS: Readonly<Record<string, readonly Mark[]>> = {
  '`': [
    mark('pre', '```(?:(?<language>[\\w+#.-]+)?\\n)?(?<inner>[^`](?:[^`]|`(?!``))*?)\\n?```', false),
    mark('code', '`(?<inner>[^`\\n]+)`', false),
  ],
  '[': [mark('text_link', '\\[(?<inner>[^\\[\\]\\n]+)\\]\\((?<url>https?://[^\\s()]+)\\)', true)],
  '*': [
    mark('bold', `${OPEN}\\*\\*(?<inner>[^\\s*](?:[^*\\n]*[^\\s*])?)\\*\\*${CLOSE}`, true),
    mark('bold', `${OPEN}\\*(?<inner>[^\\s*](?:[^*\\n]*[^\\s*])?)\\*${CLOSE}`, true),
  ],
  _: [mark('italic', `${OPEN}_(?<inner>[^\\s_](?:[^_\\n]*[^\\s_])?)_${CLOSE}`, true)],
};

const BEGINS = /[`[*_]/g;
/** Twice the longest text that Telegram accepts. Longer texts are not formatted. */
const MAX_CHARACTERS = 8_192;

/** Telegram ignores further entities. */
const MAX_ENTITIES = 100;

/**
 * Converts the specification's common subset (`*bold*`, `_italic_`, code, code blocks) and links to text and entities.
 * Telegram's own parser rejects a message with one unbalanced mark and drops underscores in names.
 */
export function formatted(source: string): FormattedText {
  if (source.length > MAX_CHARACTERS) return { text: source, entities: [] };
  const entities: TextEntity[] = [];
  const text = append('', source, entities);
  entities.sort((one, other) => one.offset - other.offset || other.length - one.length);
  return { text, entities: entities.slice(0, MAX_ENTITIES) };
}

/** Returns `before` followed by the formatted `source`, and adds the source's entities to `entities`. */
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

/**
 * Returns the end of the text at `at` that starts no mark. In a run of stars or underscores, only the first can start
 * one.
 */
function textEnd(source: string, at: number): number {
  const character = source[at];
  let end = at + 1;
  if (character === '*' || character === '_') while (source[end] === character) end++;
  return end;
}

interface Found {
  readonly mark: Mark;
  readonly groups: Readonly<Record<string, string | undefined>>;
  /** Length of the whole match, including the marks. */
  readonly length: number;
}

function markAt(source: string, at: number): Found | null {
  for (const candidate of MARKS[source.charAt(at)] ?? []) {
    candidate.pattern.lastIndex = at;
    const match = candidate.pattern.exec(source);
    // A mark around whitespace only would leave nothing visible.
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
