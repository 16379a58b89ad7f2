import type { Entity } from './bot-api-types.ts';
import { type OwnBot, withoutName } from './mentions.ts';

/**
 * Returns a text with the addresses that stand behind its words, as Markdown links, and without the name of the bot, if `own`
 * is given. Offsets count UTF-16 units (https://core.telegram.org/bots/api#messageentity).
 */
export function readableText(
  text: string,
  entities: readonly Entity[] = [],
  own: OwnBot | null = null,
): string {
  let result = '';
  let at = 0;
  for (const entity of entities) {
    const { offset, length } = entity;
    if (offset < at || length <= 0) continue;
    const marked = text.slice(offset, offset + length);
    const read = linkOf(entity, marked) ?? (own && withoutName(entity, marked, own));
    if (read === null) continue;
    result += text.slice(at, offset) + read;
    at = offset + length;
  }
  const all = result + text.slice(at);
  return own === null ? all : all.trim();
}

function linkOf({ type, url }: Entity, words: string): string | null {
  if (type !== 'text_link' || url === undefined) return null;
  return words === url ? words : `[${words}](${url})`;
}
