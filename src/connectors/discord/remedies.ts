import type { Remedy } from '../contract/remedy.ts';

/** Discord's messages for failures that people can solve (https://docs.discord.com/developers/topics/opcodes-and-status-codes). */
export const DISCORD_REMEDIES: readonly Remedy[] = [
  {
    words: /no mutual guilds/i,
    suggestion:
      'Add the bot to a server that you are a member of: Discord lets bots write only to people they share one with.',
  },
  {
    words: /cannot send messages to this user/i,
    suggestion:
      'Allow direct messages from members of a server that you share with the bot (Privacy Settings of the server), and unblock the bot.',
  },
  {
    words: /missing (?:access|permissions)/i,
    suggestion: 'Give the bot the permissions View Channel and Send Messages in this channel.',
  },
];
