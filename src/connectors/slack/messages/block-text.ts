import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import { linesOf } from '../../kit/text-lines.ts';

/** Of the types that stand for blocks without words. */
const MAX_STUB = 100;
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
  value: field(z.string()),
  /** Of a table. */
  rows: field(z.array(z.array(z.unknown()))),
  call: field(z.object({ v1: field(z.object({ name: field(z.string()), join_url: field(z.string()) })) })),
});

type Piece = z.output<typeof Piece>;

/** Containers whose elements stand one below the other. */
const IN_LINES: ReadonlySet<string> = new Set(['rich_text', 'rich_text_list', 'context', 'actions']);

/** Returns the words of blocks, in Slack's own marks for people, channels and links. Without any, their types. */
export function blockText(blocks: readonly unknown[]): string {
  return linesOf(blocks.map((block) => pieceText(block, 0))) || stubOf(blocks);
}

function stubOf(blocks: readonly unknown[]): string {
  const types = blocks.flatMap((block) => Piece.safeParse(block).data?.type ?? []);
  return types.length === 0 ? '' : `[${[...new Set(types)].join(', ').slice(0, MAX_STUB)}]`;
}

function pieceText(value: unknown, depth: number): string {
  const { data: piece } = Piece.safeParse(value);
  if (!piece || depth > MAX_DEPTH) return '';
  const own = markOf(piece) ?? wordsOf(piece);
  const cell = (each: unknown) => pieceText(each, depth + 1).replaceAll('\n', ' ');
  const rows = (piece.rows ?? []).map((row) => row.map(cell).join(' | '));
  const inner = (piece.elements ?? []).map((each) => pieceText(each, depth + 1));
  const elements =
    piece.type === 'rich_text_list'
      ? linesOf(inner.map((item) => (item === '' ? '' : `• ${item}`)))
      : IN_LINES.has(piece.type)
        ? linesOf(inner)
        : inner.join('');
  return linesOf([own, ...(piece.fields ?? []).map(({ text }) => text), ...rows, elements]);
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
  value,
  call,
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
    case 'color':
      return value ?? '';
    case 'call':
      return `[call: ${[call?.v1?.name, call?.v1?.join_url].filter(Boolean).join(' ')}]`;
    default:
      return null;
  }
}

function wordsOf({ text, title, label, alt_text: alt }: Piece): string {
  const words = typeof text === 'string' ? text : text?.text;
  return linesOf([title?.text ?? '', words ?? label?.text ?? (alt === undefined ? '' : `[image: ${alt}]`)]);
}
