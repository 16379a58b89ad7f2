import { asText } from '../../kit/markdown/as-text.ts';
import { markdownDialect } from '../../kit/markdown/markdown-dialect.ts';

/** Four times the longest text that Discord accepts. */
const MAX_CHARACTERS = 8_000;

/** Writes a text in the Markdown that Discord reads (https://support.discord.com/hc/articles/210298617). */
export const toDiscord = asText(
  markdownDialect({ shown: (text) => text, headings: 3, pairsMarks: true }),
  MAX_CHARACTERS,
);
