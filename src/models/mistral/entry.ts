import * as z from 'zod';
import { optionalField } from '../http/optional-field.ts';
import type { PastTurn } from '../model-client.ts';

/** A text, or chunks of which those of type `text` are the text: thoughts and references are not. */
const Chunk = z.object({ type: optionalField(z.string()), text: optionalField(z.string()) });
export const Content = z.union([z.string(), Chunk, z.array(Chunk)]);

/** An entry of a conversation: a message, or what a tool or a function did. */
export const Entry = z.object({
  id: optionalField(z.string()),
  type: optionalField(z.string()),
  role: optionalField(z.string()),
  content: optionalField(Content),
});
export type Entry = z.output<typeof Entry>;

export function textOf(content: z.output<typeof Content> | undefined): string {
  if (content === undefined) return '';
  if (typeof content === 'string') return content;
  const chunks = Array.isArray(content) ? content : [content];
  return chunks.map(({ type = 'text', text = '' }) => (type === 'text' ? text : '')).join('');
}

export function messageEntry({ role, text }: PastTurn): object {
  return { object: 'entry', type: 'message.input', role, content: text };
}

/** Returns the position of the last message of a user with this text; -1: there is none. */
export function findMessage(entries: readonly Entry[], marker: string): number {
  return entries.findLastIndex(
    ({ type, role, content }) =>
      type === 'message.input' && role === 'user' && textOf(content).includes(marker),
  );
}
