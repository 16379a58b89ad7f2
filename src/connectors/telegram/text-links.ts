import type { Entity } from './bot-api-types.ts';

/**
 * Returns a text with the addresses that stand behind its words, as Markdown links. Offsets count UTF-16 units
 * (https://core.telegram.org/bots/api#messageentity).
 */
export function withLinks(text: string, entities: readonly Entity[] = []): string {
  let result = '';
  let at = 0;
  for (const { type, offset, length, url } of entities) {
    if (type !== 'text_link' || url === undefined || offset < at || length <= 0) continue;
    const words = text.slice(offset, offset + length);
    result += text.slice(at, offset) + (words === url ? words : `[${words}](${url})`);
    at = offset + length;
  }
  return result + text.slice(at);
}
