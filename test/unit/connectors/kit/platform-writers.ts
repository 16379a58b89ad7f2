import { toDiscord } from '../../../../src/connectors/discord/messages/discord-markdown.ts';
import { toTalk } from '../../../../src/connectors/nctalk/messages/talk-markdown.ts';
import { toMrkdwn } from '../../../../src/connectors/slack/messages/mrkdwn.ts';
import { toMarkdown } from '../../../../src/connectors/teams/messages/text.ts';
import { formatted } from '../../../../src/connectors/telegram/formatting.ts';
import { toWhatsApp } from '../../../../src/connectors/whatsapp/formatting.ts';
import { SEEN_ON } from '../../../support/seen/platform-readers.ts';
import type { Seen } from '../../../support/seen/seen.ts';

/** What each platform is sent, as text in which the addresses of links can be found. */
export const WRITERS: Readonly<Record<string, (text: string) => string>> = {
  Discord: toDiscord,
  Slack: toMrkdwn,
  Teams: toMarkdown,
  Telegram: (text) => {
    const { text: sent, entities } = formatted(text);
    return [sent, ...entities.flatMap(({ url }) => url ?? [])].join('\n');
  },
  'Nextcloud Talk': toTalk,
  WhatsApp: toWhatsApp,
};

/** What people see of a text there. */
export const READERS: Readonly<Record<string, (text: string) => Seen>> = {
  Discord: (text) => SEEN_ON.discord(toDiscord(text)),
  Slack: (text) => SEEN_ON.slack(toMrkdwn(text)),
  Teams: (text) => SEEN_ON.commonMark(toMarkdown(text)),
  'Nextcloud Talk': (text) => SEEN_ON.talk(toTalk(text)),
  Telegram: (text) => SEEN_ON.telegram(formatted(text)),
  WhatsApp: (text) => SEEN_ON.whatsApp(toWhatsApp(text)),
};
