import type * as z from 'zod';
import { GatewayError } from '../../../base/errors.ts';
import type { AnsweredMessage } from '../../contract/messenger.ts';
import { asText } from '../../kit/markdown/as-text.ts';
import { markdownDialect } from '../../kit/markdown/markdown-dialect.ts';
import { linesOf } from '../../kit/text-lines.ts';
import { type Activity, Mention } from '../activities/activity.ts';
import { answersIn, cardText } from './cards.ts';
import { type HtmlLink, messageHtml } from './message-html.ts';

/** Twice the longest text that Teams accepts. */
const MAX_FORMATTED = 56_000;

/**
 * Writes a text in the Markdown that Teams reads
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages). Teams would interpret or drop what
 * looks like a tag, so that is escaped outside of code.
 */
export const toMarkdown = asText(markdownDialect({ shown: escaped, headings: 0 }), MAX_FORMATTED);

function escaped(text: string): string {
  return text
    .replace(/&(?=#?\w{1,10};)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}

/** Specification, "Limits": about 28,000 characters, 40 KB in UTF-16, which are fewer. */
const MAX_BYTES = 40 * 1_024;
const BYTES_PER_UNIT = 2;
export const MAX_CHARACTERS = MAX_BYTES / BYTES_PER_UNIT;

/** Throws GatewayError `send_failed` when a text is too long for Teams, as it is sent. */
export function checkLength(text: string): void {
  const { length } = toMarkdown(text);
  if (length <= MAX_CHARACTERS && length * BYTES_PER_UNIT <= MAX_BYTES) return;
  const reason = `the message is too long for Teams: ${length} characters, at most ${MAX_CHARACTERS} and ${MAX_BYTES} bytes in UTF-16`;
  throw new GatewayError('send_failed', `Failed to send message: ${reason}`);
}

const MAX_MENTIONS = 50;
/** How a text marks a mention. */
const MARK = /<at[^<>]{0,100}>[^<>]{0,1000}<\/at>/g;

/** Whether a message addresses the bot. */
export function mentionsBot({ entities, recipient }: Activity): boolean {
  return mentionsIn(entities).some(({ mentioned }) => mentioned.id === recipient?.id);
}

/** Stands for a quoted message, which an entity tells. */
const QUOTED = /<quoted[^<>]{0,200}\/?>(?:<\/quoted>)?/g;

/** Returns a message's text as agents read it, with what it forwards in front, and what else came with it below. */
export function fullText(activity: Activity): string {
  const { attachments = [], entities = [], value } = activity;
  const { further, text, links } = messageHtml(attachments, entities);
  const words = withLinks(plainText(activity) || text, links);
  return linesOf([...further, words, answersIn(value), ...attachments.map(cardText)]);
}

/** The text of a message has the words of a link only. */
function withLinks(text: string, links: readonly HtmlLink[]): string {
  let shown = '';
  let rest = text;
  for (const { words, url } of links) {
    const at = rest.indexOf(words);
    if (at < 0 || !/^(?:https?|mailto|tel):/i.test(url)) continue;
    shown += `${rest.slice(0, at)}[${words}](${url})`;
    rest = rest.slice(at + words.length);
  }
  return shown + rest;
}

/** Returns the message that another one quotes; undefined: it quotes none. */
export function quotedIn({ attachments = [], entities = [] }: Activity): AnsweredMessage | undefined {
  return messageHtml(attachments, entities).quoted;
}

/** Returns what was written: without the mention of the bot, others by their names. */
export function plainText({ text = '', entities, recipient }: Activity): string {
  // People may have the same mark: they are mentioned in the order of the entities.
  const people = Map.groupBy(mentionsIn(entities), ({ text: mark, mentioned: { name = '' } }) =>
    mark === undefined ? name : wordsIn(mark),
  );
  const nameOf = (mark: string): string | undefined => {
    const named = people.get(wordsIn(mark));
    const mentioned = (named && named.length > 1 ? named.shift() : named?.[0])?.mentioned;
    return mentioned && (mentioned.id === recipient?.id ? '' : nameIn(mark, mentioned.name));
  };
  // In one pass: a name may look like the mark of somebody else, and would be replaced again.
  return text
    .replace(MARK, (mark) => nameOf(mark) ?? mark)
    .replace(QUOTED, '')
    .replaceAll('&nbsp;', ' ')
    .trim();
}

function mentionsIn(entities: Activity['entities']): z.output<typeof Mention>[] {
  return (entities ?? []).slice(0, MAX_MENTIONS).flatMap((entity) => Mention.safeParse(entity).data ?? []);
}

function nameIn(mark: string, name: string | undefined): string {
  return `@${name ?? wordsIn(mark)}`;
}

/** The words of a mark, which are escaped in a text and may not be in its entity. */
function wordsIn(mark: string): string {
  return mark
    .replace(/<\/?at[^<>]{0,100}>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
