import type { Remedy } from '../contract/remedy.ts';

/** The Bot Connector's codes for failures that people can solve (https://learn.microsoft.com/microsoftteams/platform/bots/build-conversational-capability). */
export const TEAMS_REMEDIES: readonly Remedy[] = [
  {
    words: /MessageWritesBlocked/,
    suggestion: 'Unblock the app in Teams, or install it again, then send it a message.',
  },
  {
    words: /BotNotInConversationRoster|ForbiddenOperationException/,
    suggestion:
      'Install the app in Teams for yourself, or have an administrator allow it, then send it a message.',
  },
  {
    words: /ConversationNotFound|no prior chat/i,
    suggestion: 'Open the app in Teams and send it a message: the bot has no chat with you yet.',
  },
];
