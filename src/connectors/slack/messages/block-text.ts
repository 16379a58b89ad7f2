import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import { linesOf } from '../../kit/text-lines.ts';

/** Deeper lists are left out. */
const MAX_DEPTH = 8;

const TextObject = z.object({ type: z.string(), text: z.string() });

/** The parts of blocks and their elements that have words (https://docs.slack.dev/reference/block-kit/blocks). */
const Piece = z.object({
  type: z.string(),
  text: field(z.union([z.string(), TextObject])),
  fields: field(z.array(TextObject)),
  elements: field(z.array(z.unknown())),
  label: field(TextObject),
  title: field(TextObject),
  alt_text: field(z.string()),
  url: field(z.string()),
  name: field(z.string()),
  user_id: field(z.string()),
  channel_id: field(z.string()),
  usergroup_id: field(z.string()),
  range: field(z.string()),
  fallback: field(z.string()),
  style: field(z.union([z.string(), z.unknown()])),
});

type Piece = z.output<typeof Piece>;

/** Containers whose elements stand one below the other. */
const IN_LINES: ReadonlySet<string> = new Set(['rich_text', 'rich_text_list', 'context', 'actions']);

/** Returns the words of blocks, in Slack's own marks for people, channels and links. */
export function blockText(blocks: readonly unknown[]): string {
  return linesOf(blocks.map((block) => pieceText(block, 0)));
}

function pieceText(value: unknown, depth: number): string {
  const { data: piece } = Piece.safeParse(value);
  if (!piece || depth > MAX_DEPTH) return '';
  const own = markOf(piece) ?? wordsOf(piece);
  const inner = (piece.elements ?? []).map((each) => pieceText(each, depth + 1));
  const elements =
    piece.type === 'rich_text_list'
      ? linesOf(inner.map((item) => (item === '' ? '' : `• ${item}`)))
      : IN_LINES.has(piece.type)
        ? linesOf(inner)
        : inner.join('');
  return linesOf([own, ...(piece.fields ?? []).map(({ text }) => text), elements]);
}

/** What stands for something else: a person, a channel, a link. Null: the piece is none of these. */
function markOf({
  type,
  text,
  url,
  name,
  user_id,
  channel_id,
  usergroup_id,
  range,
  fallback,
}: Piece): string | null {
  switch (type) {
    case 'link':
      return typeof text === 'string' && text !== '' ? `<${url}|${text}>` : `<${url}>`;
    case 'user':
      return `<@${user_id}>`;
    case 'channel':
      return `<#${channel_id}>`;
    case 'usergroup':
      return `<!subteam^${usergroup_id}>`;
    case 'broadcast':
      return `<!${range}>`;
    case 'emoji':
      return `:${name}:`;
    case 'date':
      return fallback ?? '';
    default:
      return null;
  }
}

function wordsOf({ text, title, label, alt_text: alt }: Piece): string {
  const words = typeof text === 'string' ? text : text?.text;
  return linesOf([title?.text ?? '', words ?? label?.text ?? (alt === undefined ? '' : `[image: ${alt}]`)]);
}
