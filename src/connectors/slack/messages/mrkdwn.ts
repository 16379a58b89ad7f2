/** Longer texts are sent without formatting. Twice the longest text that Slack accepts. */
const MAX_CHARACTERS = 80_000;

/** A mark must not touch a word character on its outer side: `2**3**4` contains no marks. */
const OPEN = String.raw`(?<![\p{L}\p{N}_*])`;
const CLOSE = String.raw`(?![\p{L}\p{N}_*])`;
const CODE = '(?<code>```[^`](?:[^`]|`(?!``))*```|`[^`\\n]+`)';
const LINK = String.raw`\[(?<label>[^[\]\n]+)\]\((?<url>https?:\/\/[^\s()|]+)\)`;
const BOLD = String.raw`${OPEN}\*\*(?<bold>[^\s*](?:[^*\n]*[^\s*])?)\*\*${CLOSE}`;
const MARK = new RegExp(`${CODE}|${LINK}|${BOLD}`, 'gu');

/**
 * Converts the specification's common subset to mrkdwn (https://docs.slack.dev/messaging/formatting-message-text).
 * `*bold*`, `_italic_` and code are the same there. Links and `**bold**` are written differently. Everything that Slack
 * would read as a mention or a link of its own is escaped, so nobody is notified by what agents write.
 */
export function toMrkdwn(text: string): string {
  if (text.length > MAX_CHARACTERS) return escaped(text);
  let result = '';
  let at = 0;
  for (const match of text.matchAll(MARK)) {
    result += escaped(text.slice(at, match.index)) + converted(match[0], match.groups ?? {});
    at = match.index + match[0].length;
  }
  return result + escaped(text.slice(at));
}

function converted(
  source: string,
  { bold, label, url }: Readonly<Record<string, string | undefined>>,
): string {
  if (bold !== undefined) return `*${toMrkdwn(bold)}*`;
  if (label === undefined || url === undefined) return escaped(source);
  return `<${escaped(url)}|${toMrkdwn(label).replaceAll('|', '¦')}>`;
}

/** https://docs.slack.dev/messaging/formatting-message-text#escaping */
function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
