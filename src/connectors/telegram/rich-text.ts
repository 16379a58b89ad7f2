import { linesOf } from '../kit/text-lines.ts';
import { Media } from './bot-api-types.ts';

/** Deeper texts are left out: whoever has a bot may nest them. */
const MAX_DEPTH = 16;
/** Parts of a text. */
const MAX_PARTS = 5_000;

type Node = Readonly<Record<string, unknown>>;

/** What a rich message says (https://core.telegram.org/bots/api#richmessage). */
export interface RichContent {
  readonly text: string;
  /** The media between its words. */
  readonly media: readonly Media[];
}

/** Reads the blocks of a rich message. What is not known is read by what it holds. */
export function richContent(blocks: readonly unknown[]): RichContent {
  const reader = new RichReader();
  return { text: reader.block(blocks, 0), media: reader.media };
}

class RichReader {
  readonly media: Media[] = [];
  #parts = 0;

  block(node: unknown, depth: number): string {
    if (Array.isArray(node)) return linesOf(node.map((each) => this.block(each, depth + 1)));
    if (!this.#isRead(node, depth)) return typeof node === 'string' ? node : '';
    const { label, text, summary, expression, cells, caption, credit, items, blocks, buttons } = node;
    this.#note(node);
    const words = [
      this.inline(summary, depth + 1),
      node.type === 'pre' ? fenced(node, this.inline(text, depth + 1)) : this.inline(text, depth + 1),
      typeof expression === 'string' ? expression : '',
      rowsOf(cells).map((row) => row.map((cell) => this.inline(cell, depth + 1)).join(' | ')),
      this.block(items, depth + 1),
      this.block(blocks, depth + 1),
      Array.isArray(buttons) ? buttons.map((each) => this.inline(each, depth + 1)).join('\n') : '',
      this.block(caption, depth + 1),
      this.inline(credit, depth + 1),
    ].flat();
    const all = linesOf(words);
    return typeof label === 'string' ? `${markOf(node, label)} ${all}` : all;
  }

  inline(node: unknown, depth: number): string {
    if (Array.isArray(node)) return node.map((each) => this.inline(each, depth + 1)).join('');
    if (!this.#isRead(node, depth)) return typeof node === 'string' ? node : '';
    const { type, url, expression, alternative_text: emoji, button } = node;
    const words = this.inline(node.text ?? button, depth + 1);
    if (typeof url === 'string') return words === url || words === '' ? url : `[${words}](${url})`;
    if (type === 'code') return `\`${words}\``;
    return words || [expression, emoji].find((each) => typeof each === 'string') || '';
  }

  #note({ voice_note: voice, ...node }: Node): void {
    const { data: media = {} } = Media.safeParse({ ...node, voice });
    if (Object.values(media).some((each) => each !== undefined)) this.media.push(media as Media);
  }

  #isRead(node: unknown, depth: number): node is Node {
    this.#parts += 1;
    return typeof node === 'object' && node !== null && depth < MAX_DEPTH && this.#parts < MAX_PARTS;
  }
}

function rowsOf(cells: unknown): readonly (readonly unknown[])[] {
  return Array.isArray(cells) ? cells.filter((row) => Array.isArray(row)) : [];
}

function markOf({ has_checkbox: isTask, is_checked: isDone }: Node, label: string): string {
  if (!isTask) return label;
  return isDone ? '[x]' : '[ ]';
}

function fenced({ language }: Node, code: string): string {
  return `\`\`\`${typeof language === 'string' ? language : ''}\n${code}\n\`\`\``;
}
