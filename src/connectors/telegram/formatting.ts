import { withAddress } from '../kit/markdown/document.ts';
import { parseMarkdown } from '../kit/markdown/parse-markdown.ts';
import { type Dialect, render } from '../kit/markdown/rendering.ts';

/** A formatted range of text. Offset and length are in UTF-16 units, as Telegram counts them here. */
export interface TextEntity {
  readonly type: 'bold' | 'italic' | 'strikethrough' | 'code' | 'pre' | 'text_link' | 'blockquote';
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
  readonly language?: string;
}

export interface FormattedText {
  readonly text: string;
  readonly entities: readonly TextEntity[];
}

/** Twice the longest text that Telegram accepts. Longer texts are not formatted. */
const MAX_CHARACTERS = 8_192;
/** Telegram ignores further entities. Links come first, because their addresses would be lost. */
const MAX_ENTITIES = 100;
/** Other links are ignored. */
const LINKED = /^(?:https?|tg|mailto|tel):/i;

/**
 * Reads Markdown and returns text and entities (https://core.telegram.org/bots/api#messageentity). Telegram's own parsers
 * reject a message with one unbalanced mark.
 */
export function formatted(source: string): FormattedText {
  if (source.length > MAX_CHARACTERS) return { text: source, entities: [] };
  const { text, entities } = render(TELEGRAM, parseMarkdown(source));
  if (text.trim() === '') return plain(source);
  const links = entities.filter(({ type }) => type === 'text_link');
  if (links.length > MAX_ENTITIES) return plain(source);
  const others = entities.filter(({ type }) => type !== 'text_link').toSorted(inOrder);
  return { text, entities: [...links, ...others].slice(0, MAX_ENTITIES).toSorted(inOrder) };
}

function inOrder(one: TextEntity, other: TextEntity): number {
  return one.offset - other.offset || other.length - one.length;
}

const TELEGRAM: Dialect<FormattedText> = {
  structure: plain,
  text: plain,
  join: joined,
  mark: (type, content) => marked(content, { type: type === 'strike' ? 'strikethrough' : type }),
  code: (text) => marked(plain(text), { type: 'code' }),
  link: (content, url, words) =>
    LINKED.test(url) ? marked(content, { type: 'text_link', url }) : plain(withAddress(words, url)),
  url: plain,
  codeBlock: (language, text) => marked(plain(text), { type: 'pre', ...(language && { language }) }),
  quote: (content) => marked(withoutQuotes(content), { type: 'blockquote' }),
  headings: 0,
  bullet: '•',
  rule: '———',
  marksEndWithLine: false,
};

function plain(text: string): FormattedText {
  return { text, entities: [] };
}

function joined(parts: readonly FormattedText[]): FormattedText {
  let text = '';
  const entities: TextEntity[] = [];
  for (const part of parts) {
    for (const entity of part.entities) entities.push({ ...entity, offset: entity.offset + text.length });
    text += part.text;
  }
  return { text, entities };
}

/** A mark around whitespace only would leave nothing visible. */
function marked(content: FormattedText, mark: Omit<TextEntity, 'offset' | 'length'>): FormattedText {
  const { text, entities } = content;
  if (text.trim() === '') return content;
  return { text, entities: [...entities, { ...mark, offset: 0, length: text.length }] };
}

/** Telegram knows no quote inside of a quote. */
function withoutQuotes({ text, entities }: FormattedText): FormattedText {
  return { text, entities: entities.filter(({ type }) => type !== 'blockquote') };
}
