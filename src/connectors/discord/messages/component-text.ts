import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import { linesOf } from '../../kit/text-lines.ts';

/** Deeper components are left out. */
const MAX_DEPTH = 6;

/** The parts of components that have words (https://docs.discord.com/developers/components/reference). */
const Component = z.object({
  content: field(z.string()),
  label: field(z.string()),
  url: field(z.string()),
  description: field(z.string().nullable()),
  placeholder: field(z.string()),
  media: field(z.object({ url: field(z.string()) })),
  file: field(z.object({ url: field(z.string()) })),
  /** Of a section, the button or picture beside it. */
  accessory: z.unknown().optional(),
  components: field(z.array(z.unknown())),
  items: field(z.array(z.unknown())),
});

/** Returns the words of components, with the addresses of what they show. */
export function componentText(components: readonly unknown[]): string {
  return linesOf(components.map((each) => textAt(each, 0)));
}

function textAt(value: unknown, depth: number): string {
  const { data } = Component.safeParse(value);
  if (!data || depth > MAX_DEPTH) return '';
  const { content = '', label = '', url, description, placeholder = '', media, file, accessory } = data;
  const button = label !== '' && url !== undefined ? `[${label}](${url})` : label;
  const shown = [content, button, description ?? '', placeholder, media?.url ?? '', file?.url ?? ''];
  const inner = [...(data.components ?? []), ...(data.items ?? []), accessory];
  return linesOf([...shown, ...inner.map((each) => textAt(each, depth + 1))]);
}
