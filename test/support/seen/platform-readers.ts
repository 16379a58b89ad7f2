import whatsApp from '@flasd/whatsapp-formatting';
import { toTree } from '@telegraf/entity';
import { parse as parseDiscord } from 'discord-markdown-parser';
import { Marked, marked } from 'marked';
import { type Node, NodeType, parse as parseSlack } from 'slack-message-parser';
import { htmlSeen } from './html-seen.ts';
import { type Mark, type Seen, Sight } from './seen.ts';

/** Keeps marks apart from letters, and is not to be seen. */
const APART = /\u200b/g;
const HAIR_SPACE = '\u200a';
/** What WhatsApp's marks do not reach into: blocks of code, and addresses, which its app finds first. */
const WHATSAPP_WHOLE = /```([\s\S]*?)```|https?:\/\/[^\s<>]+/g;
/** Behind a space that is hardly to be seen; the parser knows only one kind. */
const THIN = '\ue002';
const HELD = /\ue000(\d+)\ue001/g;

const WITHOUT_HTML = new Marked({ tokenizer: { html: () => undefined, tag: () => undefined } });

interface TelegramEntity {
  readonly type: string;
  readonly offset: number;
  readonly length: number;
  readonly url?: string;
}

export interface TelegramText {
  readonly text: string;
  readonly entities?: readonly TelegramEntity[];
}

/** What people see of what a platform was sent: read by parsers that are not the gateway's. */
export const SEEN_ON = {
  discord: (sent: string): Seen => discordSeen(parseDiscord(sent, 'extended')),
  /** Slack takes what keeps marks apart for a space, and its parser only knows others. */
  slack: (sent: string): Seen => slackSeen(parseSlack(sent.replace(APART, HAIR_SPACE))),
  /** Nextcloud Talk shows HTML as text. */
  talk: (sent: string): Seen => htmlSeen(WITHOUT_HTML.parse(sent, { async: false })),
  /** Microsoft Teams, and whoever gets what was written. */
  commonMark: (sent: string): Seen => htmlSeen(marked.parse(sent, { async: false })),
  telegram: telegramSeen,
  whatsApp: whatsAppSeen,
} as const;

const DISCORD_MARKS: Readonly<Record<string, Mark>> = {
  strong: 'bold',
  heading: 'bold',
  em: 'italic',
  strikethrough: 'struck',
  inlineCode: 'code',
  codeBlock: 'code',
};

type DiscordContent = string | DiscordNode | readonly DiscordNode[];

interface DiscordNode {
  readonly type: string;
  readonly content?: DiscordContent;
  readonly target?: string;
}

function discordSeen(content: DiscordContent): Seen {
  const sight = new Sight();
  const read = (each: DiscordContent | undefined): void => {
    if (each === undefined) return;
    if (typeof each === 'string') sight.text += each;
    else if ('type' in each) readNode(each);
    else each.forEach(read);
  };
  const readNode = ({ type, content, target }: DiscordNode) => {
    if (type === 'br') sight.text += '\n';
    if (target !== undefined) sight.urls.push(target);
    sight.within(DISCORD_MARKS[type] ?? null, () => read(content));
  };
  read(content);
  return sight;
}

const SLACK_MARKS: Readonly<Partial<Record<NodeType, Mark>>> = {
  [NodeType.Bold]: 'bold',
  [NodeType.Italic]: 'italic',
  [NodeType.Strike]: 'struck',
  [NodeType.Code]: 'code',
  [NodeType.PreText]: 'code',
};

function slackSeen(root: Node): Seen {
  const sight = new Sight();
  const read = (node: Node): void => {
    sight.within(SLACK_MARKS[node.type] ?? null, () => {
      if ('url' in node) {
        sight.urls.push(unescaped(node.url));
        for (const each of node.label ?? []) read(each);
      } else if ('children' in node) for (const each of node.children) read(each);
      else sight.text += unescaped(('text' in node ? node.text : node.source).replaceAll(HAIR_SPACE, ''));
    });
  };
  read(root);
  return sight;
}

/** Slack escapes these three. */
function unescaped(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

const TELEGRAM_MARKS: Readonly<Record<string, Mark>> = {
  bold: 'bold',
  italic: 'italic',
  strikethrough: 'struck',
  code: 'code',
  pre: 'code',
};

/** Throws for entities that cross each other, which Telegram refuses. */
function telegramSeen({ text, entities = [] }: TelegramText): Seen {
  const sight = new Sight();
  const read = (each: ReturnType<typeof toTree>[number]): void => {
    if (typeof each === 'string') {
      sight.text += each;
      return;
    }
    if ('url' in each) sight.urls.push(each.url);
    sight.within(TELEGRAM_MARKS[each.type] ?? null, () => each.children.forEach(read));
  };
  toTree({ text, entities: [...entities] as never }).forEach(read);
  if (sight.text !== text) throw new Error(`entities cross each other: ${JSON.stringify(entities)}`);
  return sight;
}

function whatsAppSeen(sent: string): Seen {
  const whole: string[] = [];
  const spaced = sent.replaceAll(HAIR_SPACE, ` ${THIN}`);
  const escaped = spaced.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  const held = escaped.replace(WHATSAPP_WHOLE, (all, code?: string) => {
    whole.push(code === undefined ? all : `<code>${code}</code>`);
    return `\ue000${whole.length - 1}\ue001`;
  });
  const html = whatsApp.format(held).replace(HELD, (_held, at: string) => whole[Number(at)]!);
  return htmlSeen(html.replaceAll(` ${THIN}`, '').replace(APART, ''));
}
