import { asText } from '../kit/markdown/as-text.ts';
import { withAddress } from '../kit/markdown/document.ts';
import { symbolDialect } from '../kit/markdown/symbol-dialect.ts';

/** Four times the longest text that WhatsApp accepts. */
const MAX_CHARACTERS = 16_384;

/** Reads Markdown and writes WhatsApp's marks (https://faq.whatsapp.com/539178204879377). It has no links with words of their own. */
export const toWhatsApp = asText(
  symbolDialect({
    shown: (text) => text,
    link: (content, url) => withAddress(content, url),
    url: (url) => url,
    bullet: '-',
    // A hair space: only a space keeps what follows from being marked.
    afterLiteral: '\u200a',
  }),
  MAX_CHARACTERS,
);
