const CODE = /```[^`](?:[^`]|`(?!``))*```|`[^`\n]+`/g;

/**
 * Converts the specification's common subset to Teams' Markdown
 * (https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages), which is the same but for
 * HTML: Teams would interpret or drop what looks like a tag. Outside of code it is escaped.
 */
export function toMarkdown(text: string): string {
  let result = '';
  let at = 0;
  for (const match of text.matchAll(CODE)) {
    result += escaped(text.slice(at, match.index)) + match[0];
    at = match.index + match[0].length;
  }
  return result + escaped(text.slice(at));
}

function escaped(text: string): string {
  return text
    .replace(/&(?=#?\w{1,10};)/g, '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;');
}
