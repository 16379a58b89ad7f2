import { parse as parseDiscord } from 'discord-markdown-parser';
import { marked, type Token } from 'marked';
import { type Node, parse as parseSlack } from 'slack-message-parser';
import { formatted } from '../../../../src/connectors/telegram/formatting.ts';
import { WRITERS } from './platform-writers.ts';

/**
 * What people see of a text on each platform, and the addresses behind it: read by parsers that are not the gateway's, where
 * npm has them.
 */
export const READERS: Readonly<Record<string, (text: string) => string>> = {
  Discord: (text) => withUrls((urls) => discordWords(parseDiscord(WRITERS.Discord!(text), 'extended'), urls)),
  Slack: (text) => withUrls((urls) => slackWords(parseSlack(WRITERS.Slack!(text)), urls)),
  Teams: (text) => withUrls((urls) => markdownWords(marked.lexer(WRITERS.Teams!(text)), urls)),
  'Nextcloud Talk': (text) =>
    withUrls((urls) => markdownWords(marked.lexer(WRITERS['Nextcloud Talk']!(text)), urls)),
  Telegram: (text) => {
    const { text: sent, entities } = formatted(text);
    assertNested(sent, entities);
    return withUrls((urls) => {
      urls.push(...entities.flatMap(({ url }) => url ?? []));
      return sent;
    });
  },
  // Marks are characters around words, and there are no others.
  WhatsApp: (text) => WRITERS.WhatsApp!(text).replaceAll(APART, ''),
};

/** Returns the words that `read` returns, and below them the addresses behind them. */
function withUrls(read: (urls: string[]) => string): string {
  const urls: string[] = [];
  return [read(urls), ...urls].join('\n');
}

/** Keeps marks apart from letters. */
const APART = '\u200b';

interface DiscordNode {
  readonly type: string;
  readonly content?: string | DiscordNode | readonly DiscordNode[];
  readonly target?: string;
}

function discordWords(node: DiscordNode['content'], urls: string[]): string {
  if (node === undefined) return '';
  if (typeof node === 'string') return node;
  if (Array.isArray(node)) return node.map((each) => discordWords(each, urls)).join('');
  const { type, content, target } = node as DiscordNode;
  if (type === 'br') return '\n';
  if (target !== undefined) urls.push(target);
  return discordWords(content, urls);
}

function slackWords(node: Node, urls: string[]): string {
  const words = (nodes: readonly Node[] = []) => nodes.map((each) => slackWords(each, urls)).join('');
  if ('url' in node) {
    urls.push(unescaped(node.url));
    return words(node.label);
  }
  if ('children' in node) return words(node.children);
  return unescaped(('text' in node ? node.text : node.source).replaceAll(APART, ''));
}

function markdownWords(tokens: readonly Token[], urls: string[]): string {
  return tokens.map((token) => markdownWord(token, urls)).join('');
}

function markdownWord(token: Token, urls: string[]): string {
  if (token.type === 'space' || token.type === 'br') return '\n';
  if (token.type === 'link') urls.push(unescaped(token.href));
  if (token.type === 'list') return markdownWords(token.items, urls);
  if (token.type === 'table')
    return [...token.header, ...token.rows.flat()].map((cell) => markdownWords(cell.tokens, urls)).join('\n');
  if ('tokens' in token && token.tokens) return markdownWords(token.tokens, urls);
  return unescaped('text' in token ? `${token.text}` : token.raw);
}

function unescaped(text: string): string {
  return text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');
}

/** Telegram refuses entities that cross each other, or lie outside of the text (https://core.telegram.org/bots/api#messageentity). */
function assertNested(
  { length }: string,
  entities: readonly { readonly type: string; readonly offset: number; readonly length: number }[],
): void {
  const open: number[] = [];
  for (const entity of entities) {
    const end = entity.offset + entity.length;
    while (open.length > 0 && open.at(-1)! <= entity.offset) open.pop();
    if (entity.length <= 0 || end > length) throw new Error(`${entity.type} lies outside of the text`);
    if (open.length > 0 && end > open.at(-1)!) throw new Error(`${entity.type} crosses another entity`);
    open.push(end);
  }
}
