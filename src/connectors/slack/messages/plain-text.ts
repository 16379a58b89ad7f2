/** The ids that a text mentions. */
export interface Mentions {
  readonly users: readonly string[];
  readonly channels: readonly string[];
}

/** Names of people and channels by their ids. */
export type Names = ReadonlyMap<string, string>;

const USER = /<@([A-Z0-9]{2,40})(?:\|[^<>]*)?>/g;
const CHANNEL = /<#([A-Z0-9]{2,40})(?:\||)>/g;
/** A mark in angle brackets, or an escape. */
const MARK = /<([^<>\n]*)>|&(amp|lt|gt);/g;
const ESCAPES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>' };
/** Ids beyond these keep their id in the text. */
const MAX_MENTIONS = 20;

/** Returns the people and channels in a text that come without a name. */
export function mentionsIn(text: string): Mentions {
  const ids = (pattern: RegExp) =>
    [...new Set([...text.matchAll(pattern)].map(([, id]) => id!))].slice(0, MAX_MENTIONS);
  return { users: ids(USER), channels: ids(CHANNEL) };
}

/**
 * Converts Slack's text (https://docs.slack.dev/messaging/formatting-message-text#retrieving-messages) to what agents
 * read: names in place of ids, links as Markdown, no escapes, and without the mention of the bot itself.
 */
export function plainText(text: string, names: Names, botUserId: string): string {
  const plain = text.replace(MARK, (all, inside: string | undefined, name: string) =>
    inside === undefined ? (ESCAPES[name] ?? all) : markText(inside, names, botUserId),
  );
  return plain.trim();
}

function markText(inside: string, names: Names, botUserId: string): string {
  const bar = inside.indexOf('|');
  const target = bar < 0 ? inside : inside.slice(0, bar);
  const label = bar < 0 ? '' : unescaped(inside.slice(bar + 1));
  switch (inside.charAt(0)) {
    case '@':
      return target.slice(1) === botUserId
        ? ''
        : `@${names.get(target.slice(1)) ?? (label || target.slice(1))}`;
    case '#':
      return `#${label || (names.get(target.slice(1)) ?? target.slice(1))}`;
    case '!':
      return specialText(target.slice(1), label);
    default:
      return linkText(unescaped(target), label);
  }
}

/** `!here`, `!subteam^S1|@team`, `!date^…|fallback`. */
function specialText(target: string, label: string): string {
  const [name = '', ...more] = target.split('^');
  return more.length > 0 && label !== '' ? label : `@${name}`;
}

function linkText(url: string, label: string): string {
  const isSame = label === '' || url === label || url === `mailto:${label}` || url === `tel:${label}`;
  if (isSame) return label || url;
  return url === `http://${label}` || url === `https://${label}` ? label : `[${label}](${url})`;
}

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt);/g, (_all, name: string) => ESCAPES[name] ?? '');
}
