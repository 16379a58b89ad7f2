import { type Address, directAddress, type LoginRef } from '../../../base/address.ts';
import { personId } from '../messages/directory.ts';
import { type Content, MessageEvent } from './event-payload.ts';

/** Subtypes of messages that people write. All others are notices. */
const WRITTEN: ReadonlySet<string> = new Set(['file_share', 'thread_broadcast', 'me_message']);

/** Who reads. */
export interface Reader {
  readonly login: LoginRef;
  readonly botUserId: string;
  /** The bot's workspace and organization. */
  readonly home: ReadonlySet<string>;
}

/** What a message event says. */
export type Reading =
  | { readonly kind: 'written'; readonly from: Address; readonly content: Content }
  /** `atTs`: when, to order it with other edits of the same message. */
  | {
      readonly kind: 'edited';
      readonly from: Address;
      readonly content: Content;
      readonly isDeleted: boolean;
      readonly atTs: string;
    };

/** Returns what an event says about people's messages; null when there is nothing to store. */
export function readMessage(event: unknown, reader: Reader): Reading | null {
  const { data } = MessageEvent.safeParse(event);
  if (!data) return null;
  switch (data.subtype ?? '') {
    case 'message_changed':
      return readChange(data, reader);
    case 'message_deleted':
      return readDeletion(data, reader);
    default: {
      const from = addressOf(data, data, reader);
      const isWritten = data.subtype === undefined || WRITTEN.has(data.subtype) || isWorkflow(data);
      return isWritten && from !== null ? { kind: 'written', from, content: data } : null;
    }
  }
}

/** Whether people have a workflow say it (https://docs.slack.dev/workflows/). Other bots are not heard. */
export function isWorkflow({ bot_profile: bot }: Content): boolean {
  return bot?.is_workflow_bot === true;
}

/** An unfurled link changes a message, too, but not its text. */
function readChange(event: MessageEvent, reader: Reader): Reading | null {
  const { message, previous_message: before } = event;
  const from = message ? addressOf(event, message, reader) : null;
  if (!message || from === null || (message.text && message.text === before?.text)) return null;
  // What is left of the first message of a thread.
  const isDeleted = message.subtype === 'tombstone';
  return { kind: 'edited', from, content: message, isDeleted, atTs: event.event_ts ?? event.ts };
}

function readDeletion(event: MessageEvent, reader: Reader): Reading | null {
  const { previous_message: content, deleted_ts: ts } = event;
  const from = content ? addressOf(event, content, reader) : null;
  if (!content || from === null || ts === undefined) return null;
  return {
    kind: 'edited',
    from,
    content: { ...content, ts },
    isDeleted: true,
    atTs: event.event_ts ?? event.ts,
  };
}

/** Returns where a person, or a workflow of theirs, wrote; null when it was the bot itself, another bot, or Slack. */
function addressOf(
  { channel, channel_type: type }: MessageEvent,
  content: Content,
  { login, botUserId, home }: Reader,
): Address | null {
  const { user_team: team, bot_id: botId, ts, thread_ts: root } = content;
  const user = content.user ?? (isWorkflow(content) ? botId : undefined);
  if (user === undefined || user === botUserId || (botId !== undefined && !isWorkflow(content))) return null;
  const thread = root === undefined || root === ts ? null : root;
  const person = personId(user, team === undefined || home.has(team) ? null : team);
  if (type === 'im' || channel.startsWith('D')) return { ...directAddress(login, person), thread };
  return { login, space: { kind: 'channel', id: channel }, thread, person };
}
