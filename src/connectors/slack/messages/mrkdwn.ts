import { asText } from '../../kit/markdown/as-text.ts';
import { withAddress } from '../../kit/markdown/document.ts';
import { symbolDialect } from '../../kit/markdown/symbol-dialect.ts';

/** Twice the longest text that Slack accepts. */
const MAX_CHARACTERS = 80_000;
const MARKS = /[*_~`]/;
const LINKED = /^(?:https?|mailto|tel):[^\s]*$/i;

/**
 * Reads Markdown and writes mrkdwn (https://docs.slack.dev/messaging/formatting-message-text). Everything that Slack would
 * read as a mention or a link of its own is escaped, so nobody is notified by what agents write.
 */
export const toMrkdwn = asText(
  symbolDialect({ shown: escaped, link, url: whole, bullet: '•', afterLiteral: '\u200b' }),
  MAX_CHARACTERS,
);

function link(content: string, url: string, words: string): string {
  if (!LINKED.test(url)) return escaped(withAddress(words, url));
  return `<${escaped(url.replaceAll('|', '%7C'))}|${content.replaceAll('|', '¦')}>`;
}

/** Slack would take marks in a bare address for formatting. */
function whole(url: string): string {
  const isBare = !MARKS.test(url) || !LINKED.test(url) || url.includes('|');
  return isBare ? escaped(url) : `<${escaped(url)}>`;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
