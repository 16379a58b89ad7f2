import { Parser } from 'htmlparser2';
import * as z from 'zod';
import { field } from '../../../base/platform-json.ts';
import type { AnsweredMessage } from '../../contract/messenger.ts';
import { forwarded } from '../../kit/text-lines.ts';

/** A message that another one quotes or forwards. */
interface Embedded {
  readonly kind: 'quoted' | 'forwarded';
  /** The platform's id of a quoted message; '' if it is not told. */
  readonly id: string;
  author: string;
  text: string;
}

/** What the HTML of a message says beside its text. */
export interface MessageHtml {
  /** What it quotes; undefined: nothing. */
  readonly quoted: AnsweredMessage | undefined;
  /** Lines for what is forwarded, and for further quotes. */
  readonly further: readonly string[];
  /** The words outside of them. */
  readonly text: string;
  /** Links in them whose words are not their address. */
  readonly links: readonly HtmlLink[];
}

/** https://learn.microsoft.com/microsoftteams/platform/bots/how-to/format-your-bot-messages: the text of a message has the words only. */
export interface HtmlLink {
  readonly words: string;
  readonly url: string;
}

const Html = z.object({ contentType: z.literal('text/html'), content: z.string() });
/** https://github.com/microsoft/teams-sdk: what a quoted reply refers to, in place of HTML. */
const QuotedReply = z.object({
  type: z.literal('quotedReply'),
  quotedReply: z.object({
    messageId: field(z.string()),
    senderName: field(z.string()),
    preview: field(z.string()),
  }),
});

/** Longer HTML is read as far as this. */
const MAX_CHARACTERS = 200_000;
const MAX_LINKS = 50;
const EMOJI = /schema\.skype\.com\/Emoji/i;
/** What was recorded in a channel: Teams gives bots no more (https://github.com/MicrosoftDocs/msteams-docs/issues/14169). */
const RECORDED = /schema\.skype\.com\/InputExtension$/i;
const RECORDING = '[voice note]';
const EMBEDDED = /^https?:\/\/schema\.skype\.com\/(reply|forward)$/i;
/** Elements that end a line. */
const BLOCKS: ReadonlySet<string> = new Set([
  'p',
  'div',
  'br',
  'li',
  'tr',
  'h1',
  'h2',
  'h3',
  'pre',
  'blockquote',
]);
const HIDDEN: ReadonlySet<string> = new Set(['script', 'style']);

/**
 * Reads the HTML that Teams sends as an attachment beside a message's text
 * (https://github.com/MicrosoftDocs/msteams-docs/issues/3960): only there are the messages that it quotes or forwards.
 */
export function messageHtml(attachments: readonly unknown[], entities: readonly unknown[]): MessageHtml {
  const html = attachments.flatMap((each) => Html.safeParse(each).data?.content ?? []);
  const { embedded, text, links } = readHtml(html.join('\n').slice(0, MAX_CHARACTERS));
  const replies = entities.flatMap((each) => QuotedReply.safeParse(each).data?.quotedReply ?? []);
  const [reply] = replies;
  const own = reply && {
    id: reply.messageId ?? '',
    author: reply.senderName ?? '',
    text: reply.preview ?? '',
  };
  const quotes = embedded.filter(({ kind }) => kind === 'quoted');
  const quoted = own ?? quotes.shift();
  return {
    quoted: quoted && answered(quoted),
    // Somebody may quote several messages, and answer all of them.
    further: [...quotes, ...embedded.filter(({ kind }) => kind === 'forwarded')].map(lineOf),
    text,
    links,
  };
}

function answered({ id, author, text }: Omit<Embedded, 'kind'>): AnsweredMessage {
  return { platformMessageId: id || null, author: author || null, text: tidy(text) };
}

function lineOf({ kind, author, text }: Embedded): string {
  const head = kind === 'forwarded' ? forwarded(author) : `[quoted${author === '' ? '' : ` from ${author}`}]`;
  return [head, tidy(text)].join('\n').trim();
}

function readHtml(
  html: string,
): Pick<MessageHtml, 'text' | 'links'> & { readonly embedded: readonly Embedded[] } {
  const embedded: Embedded[] = [];
  const links: HtmlLink[] = [];
  let text = '';
  /** The link that is open outside of embedded messages. */
  let link: { readonly url: string; words: string } | null = null;
  /** Open elements from the one of an embedded message on; empty outside. */
  let depth = 0;
  let authorDepth = 0;
  let hiddenDepth = 0;
  const add = (words: string): void => {
    const inside = depth > 0 ? embedded.at(-1) : undefined;
    if (hiddenDepth > 0) return;
    if (inside === undefined) {
      text += words;
      if (link !== null) link.words += words;
    }
    if (inside === undefined) return;
    if (authorDepth > 0) inside.author += words;
    else inside.text += words;
  };
  const parser = new Parser({
    onopentag: (name, { itemtype = '', itemprop = '', itemid = '', href, alt = '', src }) => {
      const [, kind] = (depth === 0 && EMBEDDED.exec(itemtype)) || [];
      if (kind !== undefined)
        embedded.push({
          kind: kind.toLowerCase() === 'reply' ? 'quoted' : 'forwarded',
          id: itemid,
          author: '',
          text: '',
        });
      if (kind !== undefined || depth > 0) depth++;
      if (authorDepth > 0 || (depth > 0 && itemprop === 'mri')) authorDepth++;
      if (hiddenDepth > 0 || HIDDEN.has(name)) hiddenDepth++;
      if (name === 'br') add('\n');
      if (RECORDED.test(itemtype)) add(RECORDING);
      if (name === 'a' && depth === 0 && href !== undefined) link = { url: href, words: '' };
      // Emoji and stickers are pictures, whose name is the emoji. Pasted pictures are files.
      if (name === 'emoji' || (name === 'img' && EMOJI.test(itemtype))) add(alt);
      else if (name === 'img' && depth === 0 && src === undefined && alt !== '') add(`[image: ${alt}]`);
    },
    ontext: add,
    onclosetag: (name) => {
      if (name === 'a' && link !== null) {
        const words = link.words.trim();
        if (words !== '' && words !== link.url && links.length < MAX_LINKS) links.push({ ...link, words });
        link = null;
      }
      if (BLOCKS.has(name) && name !== 'br') add('\n');
      depth = Math.max(0, depth - 1);
      authorDepth = Math.max(0, authorDepth - 1);
      hiddenDepth = Math.max(0, hiddenDepth - 1);
    },
  });
  parser.end(html);
  return {
    embedded: embedded.map((each) => ({ ...each, author: each.author.trim() })),
    text: tidy(text),
    links,
  };
}

function tidy(text: string): string {
  return text
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}
