import { asText } from '../../kit/markdown/as-text.ts';
import { markdownDialect } from '../../kit/markdown/markdown-dialect.ts';

/** Twice the longest text that Talk accepts. */
const MAX_CHARACTERS = 64_000;

/** Writes a text in the Markdown that Talk reads, which is CommonMark. */
export const toTalk = asText(markdownDialect({ shown: (text) => text, headings: 6 }), MAX_CHARACTERS);
