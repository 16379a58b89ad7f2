import { expect, it } from 'vitest';
import type { Remedy } from '../../../src/connectors/contract/messenger.ts';
import { DISCORD_REMEDIES } from '../../../src/connectors/discord/discord-messenger.ts';
import { SLACK_REMEDIES } from '../../../src/connectors/slack/messages/send-message.ts';
import { TEAMS_REMEDIES } from '../../../src/connectors/teams/teams-messenger.ts';
import { TELEGRAM_REMEDIES } from '../../../src/connectors/telegram/remedies.ts';
import { WHATSAPP_REMEDIES } from '../../../src/connectors/whatsapp/message-sender.ts';

/** The platforms' own words, and a word of what is suggested. */
const TABLE: readonly (readonly [readonly Remedy[], string, string | undefined])[] = [
  [DISCORD_REMEDIES, 'Cannot send messages to this user', 'Privacy Settings'],
  [DISCORD_REMEDIES, 'Cannot send messages to this user due to having no mutual guilds', 'member of'],
  [DISCORD_REMEDIES, 'Missing Permissions', 'Send Messages'],
  [SLACK_REMEDIES, 'messages_tab_disabled', 'Messages Tab'],
  [SLACK_REMEDIES, 'cannot_dm_bot', 'your own account'],
  [SLACK_REMEDIES, 'account_inactive', 'Install the app'],
  [SLACK_REMEDIES, 'missing_scope: im:write', 'bot scope'],
  [TEAMS_REMEDIES, '403 BotNotInConversationRoster: The bot is not part of the roster.', 'Install the app'],
  [TEAMS_REMEDIES, 'ConversationNotFound', 'no chat'],
  [TEAMS_REMEDIES, 'MessageWritesBlocked', 'Unblock'],
  [TELEGRAM_REMEDIES, 'Forbidden: bot was blocked by the user', 'Unblock'],
  [TELEGRAM_REMEDIES, 'Bad Request: chat not found', 'press Start'],
  [TELEGRAM_REMEDIES, 'Bad Request: message is too long', undefined],
  [WHATSAPP_REMEDIES, 'the 24-hour window is closed; send the gateway a message first', '24 hours'],
  [WHATSAPP_REMEDIES, 'Message undeliverable (131026)', 'blocked'],
];

it.each(TABLE)('%# the first remedy that matches is the right one', (remedies, words, expected) => {
  const suggestion = remedies.find((remedy) => remedy.words.test(words))?.suggestion;
  if (expected === undefined) expect(suggestion).toBeUndefined();
  else expect(suggestion).toContain(expected);
});
