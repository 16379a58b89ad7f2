import * as z from 'zod';
import type { Address } from '../../../base/address.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { LiveMessage, ShowsWriting } from '../../contract/live-message.ts';
import { liveOutcomeOf } from '../../kit/live-outcome.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { failureOf, type SlackApi } from '../client.ts';
import type { SlackLogin } from '../login/slack-login.ts';
import { PostedAnswer } from '../objects.ts';
import { toMrkdwn } from './mrkdwn.ts';

const DEADLINE_MS = 5_000;
const MOST_STREAMS = 2_000;
/** Of `chat.update` (https://docs.slack.dev/reference/methods/chat.update). */
const MAX_UPDATE = 4_000;

/** A message that is shown, with the text that it is to have. */
export interface ShownMessage {
  readonly channel: string;
  readonly ts: string;
  readonly isStream: boolean;
  /** In Markdown. */
  readonly text: string;
}

/**
 * In the thread of a direct conversation a message is a stream, to which Slack appends
 * (https://docs.slack.dev/reference/methods/chat.startStream); elsewhere it is edited. A workspace takes 20 new streams and
 * 50 edits a minute, and 100 appended texts (https://docs.slack.dev/apis/web-api/rate-limits).
 */
export function showsReplies(loginOf: (to: Address) => SlackLogin | undefined): ShowsWriting {
  /** What streams of this process have, by their ids. */
  const streamed = new LimitedMap<string>(MOST_STREAMS);
  return {
    kind: 'message',
    pace: { begins: { most: 10, perSecond: 1 / 6 }, all: { most: 20, perSecond: 0.5 }, everyMs: 2_000 },
    shows: (to) => loginOf(to) !== undefined,
    async show(message, signal) {
      const login = loginOf(message.to);
      if (!login) return { kind: 'refused' };
      const options = { deadlineMs: DEADLINE_MS, signal };
      try {
        const channel = await channelOf(login, message.to, options);
        return {
          kind: 'shown',
          shownId: await show({ api: login.api, channel, streamed, options }, message),
        };
      } catch (error) {
        return liveOutcomeOf(failureOf(error));
      }
    },
    async remove(to, ts, signal) {
      streamed.delete(ts);
      const login = loginOf(to);
      const options = { deadlineMs: DEADLINE_MS, signal };
      try {
        if (!login) return;
        const shown = { channel: await channelOf(login, to, options), ts, isStream: isStreamed(to) };
        await removeMessage(login.api, shown, options);
      } catch {
        // Best effort.
      }
    },
  };
}

async function channelOf(
  { directory }: SlackLogin,
  { space }: Address,
  options: CallOptions,
): Promise<string> {
  return space.kind === 'direct' ? await directory.directChannel(space.id, options) : space.id;
}

/** Whether a message to there is a stream. */
export function isStreamed({ space, thread }: Address): boolean {
  return space.kind === 'direct' && thread !== null;
}

interface Showing {
  readonly api: SlackApi;
  readonly channel: string;
  readonly streamed: LimitedMap<string>;
  readonly options: CallOptions;
}

async function show(showing: Showing, { to, shownId, text, prefix }: LiveMessage): Promise<string> {
  const { api, channel, streamed, options } = showing;
  const isStream = isStreamed(to);
  if (shownId === null) {
    const words = isStream ? { markdown_text: prefix } : { text: toMrkdwn(text) };
    const args = { channel, thread_ts: to.thread ?? undefined, ...words };
    const { ts } = await api.call(
      isStream ? 'chat.startStream' : 'chat.postMessage',
      args,
      options,
      PostedAnswer,
    );
    if (isStream) streamed.set(ts, prefix);
    return ts;
  }
  if (!isStream) await update(api, { channel, ts: shownId, text }, options);
  else await append(showing, shownId, prefix);
  return shownId;
}

/** Nothing that was appended can be taken back, nor is it known after a restart. The whole message sets it right. */
async function append(
  { api, channel, streamed, options }: Showing,
  ts: string,
  prefix: string,
): Promise<void> {
  const known = streamed.get(ts);
  if (known === undefined || prefix === known || !prefix.startsWith(known)) return;
  const args = { channel, ts, markdown_text: prefix.slice(known.length) };
  await api.call('chat.appendStream', args, options, z.unknown());
  streamed.set(ts, prefix);
}

/** Lets a message that is shown have its whole text. Returns false if it takes no text of that length, and is deleted. */
export async function showWhole(api: SlackApi, shown: ShownMessage, options: CallOptions): Promise<boolean> {
  await stopStream(api, shown, options);
  if (toMrkdwn(shown.text).length <= MAX_UPDATE) {
    await update(api, shown, options);
    return true;
  }
  await api.call('chat.delete', { channel: shown.channel, ts: shown.ts }, options, z.unknown());
  return false;
}

async function update(
  api: SlackApi,
  { channel, ts, text }: Omit<ShownMessage, 'isStream'>,
  options: CallOptions,
): Promise<void> {
  await api.call('chat.update', { channel, ts, text: toMrkdwn(text) }, options, z.unknown());
}

async function removeMessage(
  api: SlackApi,
  shown: Omit<ShownMessage, 'text'>,
  options: CallOptions,
): Promise<void> {
  await stopStream(api, shown, options);
  await api.call('chat.delete', { channel: shown.channel, ts: shown.ts }, options, z.unknown());
}

/** Slack ends streams by itself after some minutes. */
async function stopStream(
  api: SlackApi,
  { channel, ts, isStream }: Omit<ShownMessage, 'text'>,
  options: CallOptions,
): Promise<void> {
  if (!isStream) return;
  try {
    await api.call('chat.stopStream', { channel, ts }, options, z.unknown());
  } catch (error) {
    if (failureOf(error).code !== 'message_not_in_streaming_state') throw error;
  }
}
