import type { OutboundMessage, Remedy, SendOutcome } from '../../contract/messenger.ts';
import { outcomeOf, type SendRules } from '../../kit/sending.ts';
import { failureOf } from '../client.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import { PostedAnswer } from '../objects.ts';
import { toMrkdwn } from './mrkdwn.ts';

const TEXT_DEADLINE_MS = 20_000;

/** Slack's words for channels and people that cannot be written to until they write again. */
const ADDRESS_GONE: ReadonlySet<string> = new Set([
  'channel_not_found',
  'is_archived',
  'not_in_channel',
  'user_disabled',
  'user_not_found',
  'user_not_visible',
  'cannot_dm_bot',
]);

const RULES: SendRules = { retryMs: 1_000, isGone: ({ code }) => ADDRESS_GONE.has(code) };

/**
 * Sends a message. Only its last request makes it appear, so everything that fails before can be tried again. Platform
 * errors are outcomes.
 */
export async function sendMessage(
  login: SlackLogin,
  { to, text, attachments }: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { api, directory } = login;
  let isFinal = false;
  try {
    const options = { deadlineMs: TEXT_DEADLINE_MS, signal };
    const isDirect = to.space.kind === 'direct';
    const channel = isDirect ? await directory.directChannel(to.space.id, options) : to.space.id;
    const place = { channel, thread: to.thread ?? undefined };
    const uploads = await api.uploadFiles(attachments, signal);
    isFinal = true;
    if (uploads.length > 0)
      return sent(await api.shareFiles(uploads, { ...place, text: toMrkdwn(text) }, options));
    const args = { channel, thread_ts: place.thread, text: toMrkdwn(text) };
    return sent([(await api.call('chat.postMessage', args, options, PostedAnswer)).ts]);
  } catch (error) {
    const failure = failureOf(error);
    login.failed(failure);
    if (to.space.kind === 'direct' && ADDRESS_GONE.has(failure.code)) directory.forgetDirect(to.space.id);
    return outcomeOf(failure, [], RULES, isFinal);
  }
}

function sent(platformMessageIds: readonly string[]): SendOutcome {
  return { kind: 'sent', platformMessageIds };
}

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
