import type { Address } from '../../../base/address.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import { PostedAnswer, type PostedMessage, PostedMessages } from '../objects.ts';

/** Where messages are posted. */
export interface Place {
  readonly channel: string;
  /** `ts` of the message that began the thread. */
  readonly thread: string | undefined;
}

/** Rejects with a PlatformFailure. */
export async function placeOf(
  { directory }: SlackLogin,
  { space, thread }: Address,
  options: CallOptions,
): Promise<Place> {
  const channel = space.kind === 'direct' ? await directory.directChannel(space.id, options) : space.id;
  return { channel, thread: thread ?? undefined };
}

const EVENT_TYPE = 'svc_message';
/** Slack shows some apps no more at a time (https://docs.slack.dev/reference/methods/conversations.history). */
const LOOKED_AT = 15;

/**
 * Posts a text in mrkdwn with a key in its metadata, by which it is found again: Slack has no nonces
 * (https://docs.slack.dev/messaging/message-metadata). Returns its `ts`. Rejects with a PlatformFailure.
 */
export async function postKeyed(
  { api }: SlackLogin,
  { channel, thread }: Place,
  { key, text }: { readonly key: string; readonly text: string },
  options: CallOptions,
): Promise<string> {
  const metadata = { event_type: EVENT_TYPE, event_payload: { key } };
  const args = { channel, thread_ts: thread, text, metadata };
  return (await api.call('chat.postMessage', args, options, PostedAnswer)).ts;
}

/**
 * Returns the `ts` of the bot's post with this key: among the last ones of a channel, or the first ones of a thread after
 * `oldest`, in seconds. Null: there is none. Rejects with a PlatformFailure.
 */
export async function findKeyed(
  { api, identity }: SlackLogin,
  { channel, thread }: Place,
  { key, oldest }: { readonly key: string; readonly oldest: string },
  options: CallOptions,
): Promise<string | null> {
  const method = thread === undefined ? 'conversations.history' : 'conversations.replies';
  const args = { channel, ts: thread, oldest, limit: LOOKED_AT, include_all_metadata: true };
  const { messages } = await api.call(method, args, options, PostedMessages);
  const isIt = ({ user, metadata }: PostedMessage) =>
    user === identity?.userId && metadata?.event_type === EVENT_TYPE && metadata.event_payload?.key === key;
  return messages.find(isIt)?.ts ?? null;
}
