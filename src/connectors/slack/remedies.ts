import type { Remedy } from '../contract/remedy.ts';

/** Slack's words for failures that people can solve (https://docs.slack.dev/reference/methods/chat.postMessage#errors). */
export const SLACK_REMEDIES: readonly Remedy[] = [
  {
    words: /messages_tab_disabled/,
    suggestion:
      'In the settings of the Slack app, under App Home, turn on the Messages Tab and let users send messages from it.',
  },
  {
    words: /cannot_dm_bot/,
    suggestion:
      'Slack lets no bot write to a bot. Write to the bot from your own account, and make that the owner.',
  },
  {
    words: /invalid_auth|not_authed|account_inactive|token_revoked|token_expired|not_installed/,
    suggestion: 'Install the app to the workspace again, and register the bot with its new token.',
  },
  {
    words: /missing_scope/,
    suggestion:
      'Give the app the missing bot scope under OAuth & Permissions, then install it to the workspace again.',
  },
  {
    words: /channel_not_found|not_in_channel|user_not_found/,
    suggestion: 'Open the app in Slack and send it a message; in a channel, invite it.',
  },
];
