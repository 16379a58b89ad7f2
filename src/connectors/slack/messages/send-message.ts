import * as z from 'zod';
import type { Address } from '../../../base/address.ts';
import type {
  OutboundMessage,
  OutboundReaction,
  ReactionOutcome,
  Remedy,
  SendOutcome,
} from '../../contract/messenger.ts';
import { reactionOutcome } from '../../kit/reactions.ts';
import { outcomeOf, type SendRules } from '../../kit/sending.ts';
import { failureOf } from '../client.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import { PostedAnswer } from '../objects.ts';
import { blocksOf } from './buttons.ts';
import { emojiName } from './emoji-names.ts';
import { placeOf } from './keyed-posts.ts';
import { complete } from './live-edits.ts';
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
  message: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { to, attachments, choices, shownId, messageId: key } = message;
  const text = toMrkdwn(message.text);
  const { api, directory } = login;
  let isFinal = false;
  try {
    const options = { deadlineMs: TEXT_DEADLINE_MS, signal };
    const place = await placeOf(login, to, options);
    const uploads = await api.uploadFiles(attachments, signal);
    isFinal = true;
    if (uploads.length > 0) return sent(await api.shareFiles(uploads, { ...place, text }, options));
    if (shownId !== undefined) return sent([await complete(login, place, { shownId, key, text }, options)]);
    const blocks = choices && blocksOf(text, choices);
    const args = { channel: place.channel, thread_ts: place.thread, text, blocks };
    return sent([(await api.call('chat.postMessage', args, options, PostedAnswer)).ts]);
  } catch (error) {
    const failure = failureOf(error);
    login.failed(failure);
    if (to.space.kind === 'direct' && ADDRESS_GONE.has(failure.code)) directory.forgetDirect(to.space.id);
    return outcomeOf(failure, [], RULES, isFinal);
  }
}

/** Adds a reaction to a message, or takes it back. */
export async function react(
  login: SlackLogin,
  to: Address,
  { platformMessageId: timestamp, emoji, isAdded }: OutboundReaction,
  signal: AbortSignal,
): Promise<ReactionOutcome> {
  const options = { deadlineMs: TEXT_DEADLINE_MS, signal };
  const method = isAdded ? 'reactions.add' : 'reactions.remove';
  const request = async () => {
    const { channel } = await placeOf(login, to, options);
    await login.api.call(method, { channel, timestamp, name: emojiName(emoji) }, options, z.unknown());
  };
  const outcome = await reactionOutcome('Slack', request());
  // It is as it was to become.
  const isSo = outcome.kind === 'failed' && AS_WANTED.has(outcome.reason);
  return isSo ? { kind: 'done' } : outcome;
}

/** Slack's words for reactions that are there already, or no longer. */
const AS_WANTED: ReadonlySet<string> = new Set(['already_reacted', 'no_reaction']);

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
