import type { Remedy } from '../contract/messenger.ts';

/** Telegram's descriptions of failures that people can solve. */
export const TELEGRAM_REMEDIES: readonly Remedy[] = [
  {
    words: /bot was blocked by the user/i,
    suggestion: 'Unblock the bot in Telegram, then send it a message.',
  },
  {
    words: /chat not found|bot can't initiate conversation/i,
    suggestion:
      'Open the bot in Telegram and press Start: bots may only write to people who have written to them.',
  },
  {
    words: /bot was kicked|bot is not a member/i,
    suggestion: 'Add the bot to the group again.',
  },
  {
    words: /not enough rights|CHAT_(?:WRITE|RESTRICTED|SEND_\w+_FORBIDDEN)|have no rights/i,
    suggestion: 'Let an administrator of the group allow the bot to send messages there.',
  },
  {
    words: /TOPIC_CLOSED|message thread not found/i,
    suggestion: 'The topic was closed or deleted. Open it again, or write to the bot in another one.',
  },
  {
    words: /user is deactivated/i,
    suggestion:
      'The Telegram account was deleted. Write to the bot from another one, and make that the owner.',
  },
];
