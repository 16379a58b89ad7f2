import type * as z from 'zod';
import { type Activity, Mention } from '../activities/activity.ts';

const MAX_MENTIONS = 50;
/** How a text marks a mention. */
const MARK = /<at[^<>]{0,100}>[^<>]{0,1000}<\/at>/g;

/** Whether a message addresses the bot. */
export function mentionsBot({ entities, recipient }: Activity): boolean {
  return mentionsIn(entities).some(({ mentioned }) => mentioned.id === recipient?.id);
}

/** Returns a message's text as agents read it: without the mention of the bot, others by their names. */
export function plainText({ text = '', entities, recipient }: Activity): string {
  const names = new Map(
    mentionsIn(entities).map(({ text: mark, mentioned }) => [
      mark,
      mentioned.id === recipient?.id ? '' : nameIn(mark, mentioned.name),
    ]),
  );
  // In one pass: a name may look like the mark of somebody else, and would be replaced again.
  return text
    .replace(MARK, (mark) => names.get(mark) ?? mark)
    .replaceAll('&nbsp;', ' ')
    .trim();
}

function mentionsIn(entities: Activity['entities']): z.output<typeof Mention>[] {
  return (entities ?? []).slice(0, MAX_MENTIONS).flatMap((entity) => Mention.safeParse(entity).data ?? []);
}

function nameIn(mark: string, name: string | undefined): string {
  return `@${name ?? mark.replace(/<\/?at[^<>]{0,100}>/g, '')}`;
}
