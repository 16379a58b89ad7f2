import type { Remedy } from '../contract/remedy.ts';

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
    words: /user is deactivated/i,
    suggestion:
      'The Telegram account was deleted. Write to the bot from another one, and make that the owner.',
  },
];
