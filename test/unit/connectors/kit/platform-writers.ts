import { toDiscord } from '../../../../src/connectors/discord/messages/discord-markdown.ts';
import { toTalk } from '../../../../src/connectors/nctalk/messages/talk-markdown.ts';
import { toMrkdwn } from '../../../../src/connectors/slack/messages/mrkdwn.ts';
import { toMarkdown } from '../../../../src/connectors/teams/messages/text.ts';
import { formatted } from '../../../../src/connectors/telegram/formatting.ts';
import { toWhatsApp } from '../../../../src/connectors/whatsapp/formatting.ts';

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
