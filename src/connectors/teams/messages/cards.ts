import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import { linesOf } from '../../kit/text-lines.ts';

/** Deeper elements, and lines beyond these, are left out. */
const MAX_DEPTH = 8;
const MAX_ANSWERS = 50;
const MAX_ANSWER = 1_000;

const CARD = /^application\/vnd\.microsoft\.(?:teams\.)?card\.(\w+)/;
/** What is a file, or the message itself in HTML. */
const NO_CARD =
  /^(?:text\/html|(?:image|audio|video)\/|application\/vnd\.microsoft\.teams\.(?:file\.download\.info|messaging))/;

const Attachment = z.object({
  contentType: z.string(),
  contentUrl: field(z.string()),
  name: field(z.string()),
  content: z.unknown().optional(),
});

/** The parts of cards and of their elements that have words (https://adaptivecards.io/explorer/, and Bot Framework's own cards). */
const Element = z.object({
  type: field(z.string()),
  title: field(z.string()),
  subtitle: field(z.string()),
  text: field(z.union([z.string(), z.unknown()])),
  value: field(z.union([z.string(), z.unknown()])),
  altText: field(z.string()),
  alt: field(z.string()),
  url: field(z.string()),
  label: field(z.string()),
  placeholder: field(z.string()),
  fallbackText: field(z.string()),
  body: field(z.array(z.unknown())),
  items: field(z.array(z.unknown())),
  columns: field(z.array(z.unknown())),
  rows: field(z.array(z.unknown())),
  cells: field(z.array(z.unknown())),
  facts: field(z.array(z.unknown())),
  inlines: field(z.array(z.unknown())),
  images: field(z.array(z.unknown())),
  media: field(z.array(z.unknown())),
  sections: field(z.array(z.unknown())),
  actions: field(z.array(z.unknown())),
  buttons: field(z.array(z.unknown())),
});

/**
 * Returns the words of a card that a person has shared, such as the result of another app, and a line for what has none.
 * Files and the HTML of a message are none: ''.
 */
export function cardText(attachment: unknown): string {
  const { data } = Attachment.safeParse(attachment);
  if (!data || NO_CARD.test(data.contentType)) return '';
  const { contentType, contentUrl, name = '', content } = data;
  const [, kind = contentType] = CARD.exec(contentType) ?? [];
  // Teams writes the content of a recording as text.
  const words = kind === 'audio' && typeof content === 'string' ? '' : wordsAt(content, 0);
  if (words !== '') return words;
  return `[${linesOf([`${kind}${name === '' ? '' : `: ${name}`}`]).slice(0, MAX_ANSWER)}${contentUrl ? ` ${contentUrl}` : ''}]`;
}

/** Returns the answers of a form, a line for each. The gateway's own buttons are none: ''. */
export function answersIn(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || 'svc_choice' in value) return '';
  const lines = Object.entries(value)
    .slice(0, MAX_ANSWERS)
    .map(([key, answer]) => `${key}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`)
    .map((line) => line.slice(0, MAX_ANSWER));
  return lines.length === 0 ? '' : linesOf(['[form]', ...lines]);
}

function wordsAt(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  const { data } = Element.safeParse(value);
  if (!data || depth > MAX_DEPTH) return '';
  const {
    title = '',
    subtitle = '',
    text,
    value: answer,
    altText,
    alt,
    label = '',
    placeholder = '',
    url,
  } = data;
  const picture = altText ?? alt ?? '';
  const button = title !== '' && url !== undefined ? `[${title}](${url})` : title;
  // A fact is a title with a value.
  const isFact = typeof answer === 'string' && title !== '' && data.type === undefined;
  const own = [
    isFact ? `${title}: ${answer}` : button,
    subtitle,
    typeof text === 'string' ? text : '',
    picture === '' ? '' : `[image: ${picture}]`,
    label || placeholder,
  ];
  const inner = [
    data.body,
    data.items,
    data.columns,
    data.rows,
    data.cells,
    data.facts,
    data.images,
    data.media,
    data.sections,
    data.actions,
    data.buttons,
  ].flatMap((all) => all ?? []);
  const inlines = (data.inlines ?? []).map((each) => wordsAt(each, depth + 1)).join('');
  return (
    linesOf([...own, inlines, ...inner.map((each) => wordsAt(each, depth + 1))]) || (data.fallbackText ?? '')
  );
}
