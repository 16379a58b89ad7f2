import { type Clock, pause } from '../../../base/time.ts';
import type { OutboundFile, OutboundMessage, Remedy, SendOutcome } from '../../contract/messenger.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { codePoints, outcomeOf, type SendRules, sendParts } from '../../kit/sending.ts';
import type { TalkApi, TalkTraits } from '../client.ts';
import type { SendingRecord } from '../nctalk-records.ts';
import type { Message } from '../objects.ts';
import { failureOf } from '../ocs-client.ts';
import { completeShown } from './live-edits.ts';
import { findMessage, referenceOf } from './references.ts';

const POST_DEADLINE_MS = 20_000;
const LOOK_DEADLINE_MS = 10_000;
/** A request whose answer is lost may still be carried out for a moment. */
const SECOND_LOOK_MS = 2_000;
/** Talk shows a caption beside its file. */
const MAX_CAPTION = 4_000;
const NOT_FOUND = 404;

/** What is sent may be looked for, so nothing is shown twice. */
export const TALK_RULES: SendRules = {
  retryMs: 2_000,
  dropsDuplicates: true,
  isGone: ({ status }) => status === NOT_FOUND,
};

export interface SendingRoom {
  readonly api: TalkApi;
  readonly clock: Clock;
  readonly token: string;
  readonly traits: TalkTraits;
  readonly signal: AbortSignal;
  /** Null: it is sent for the first time. */
  readonly former: SendingRecord | null;
  /** As which the addon posts webhooks' answers. */
  readonly addonBotId: string;
  /** Called when a request fails. */
  failed(failure: PlatformFailure): void;
}

interface Part {
  readonly referenceId: string;
  readonly text: string;
  readonly file: OutboundFile | null;
  readonly replyTo?: string | undefined;
}

/** Sends a message to a room, unless an earlier process has. */
export async function sendToRoom(room: SendingRoom, message: OutboundMessage): Promise<SendOutcome> {
  return await sendParts({
    parts: partsOf(message, room.traits),
    send: async (part) => await sendOnce(room, message, part),
    failed: (error, sentIds) => {
      const failure = failureOf(error);
      room.failed(failure);
      return outcomeOf(failure, sentIds, TALK_RULES);
    },
  });
}

/** Whether a message of the chat is this part, or the answer of a webhook that consisted of it. */
function isPart({ former, addonBotId }: SendingRoom, { referenceId }: Part): (message: Message) => boolean {
  const after = former?.answerAfter ?? null;
  return (message) =>
    message.referenceId === referenceId ||
    (after !== null && message.id > after && message.actorType === 'bots' && message.actorId === addonBotId);
}

async function sendOnce(room: SendingRoom, message: OutboundMessage, part: Part): Promise<string[]> {
  const { shownId } = message;
  if (shownId !== undefined && (await completeShown(room, shownId, part.text, optionsOf(room))))
    return [shownId];
  const known = room.former === null ? null : await look(room, part);
  if (known !== null) return [known];
  try {
    const id = await send(room, message, part);
    return id === null ? [] : [id];
  } catch (error) {
    const failure = failureOf(error);
    if (failure.kind !== 'unclear') throw failure;
    const id = await lookTwice(room, part).catch(() => null);
    if (id === null) throw failure;
    return [id];
  }
}

function optionsOf({ signal }: SendingRoom): CallOptions {
  return { deadlineMs: POST_DEADLINE_MS, signal };
}

async function send(
  room: SendingRoom,
  { messageId, to: { thread } }: OutboundMessage,
  { referenceId, text, file, replyTo }: Part,
): Promise<string | null> {
  const { api, token, traits, signal } = room;
  const posting = { token, text, referenceId, thread, replyTo };
  const options = optionsOf(room);
  if (file === null) return `${await api.post(posting, options)}`;
  const path = await api.upload(`${traits.folder}/${referenceOf(messageId).slice(0, 16)}`, file, signal);
  await api.share(path, posting, options);
  return await look(room, { referenceId, text, file }).catch(() => null);
}

async function lookTwice(room: SendingRoom, part: Part): Promise<string | null> {
  const id = await look(room, part);
  if (id !== null) return id;
  await pause(room.clock, SECOND_LOOK_MS, room.signal);
  return await look(room, part);
}

async function look(room: SendingRoom, part: Part): Promise<string | null> {
  const { api, token, signal } = room;
  const found = await findMessage(api, token, isPart(room, part), { deadlineMs: LOOK_DEADLINE_MS, signal });
  return found === null ? null : `${found.id}`;
}

/** A text that is no caption comes first. */
function partsOf(
  { messageId, text, attachments, replyTo }: OutboundMessage,
  { features }: TalkTraits,
): Part[] {
  const isCaption =
    attachments.length > 0 && features.has('media-caption') && codePoints(text) <= MAX_CAPTION;
  const texts = text === '' || isCaption ? [] : [{ text, file: null }];
  const files = attachments.map((file, n) => ({ text: isCaption && n === 0 ? text : '', file }));
  return [...texts, ...files].map((part, n) => ({
    ...part,
    referenceId: referenceOf(messageId, n),
    ...(n === 0 && { replyTo }),
  }));
}

/** Nextcloud's words for failures that people can solve. */
export const TALK_REMEDIES: readonly Remedy[] = [
  {
    words: /HTTP status 412/,
    suggestion:
      'The conversation has a lobby. Make the bot a moderator of the conversation, or open the lobby.',
  },
  {
    words: /HTTP status 403/,
    suggestion:
      'The conversation is locked, or the bot may not write in it: a moderator can change both in its settings.',
  },
  {
    words: /HTTP status 401|not logged in/i,
    suggestion:
      'The Nextcloud no longer accepts the bot: its user was disabled or deleted. Connect the Nextcloud again.',
  },
  {
    words: /HTTP status 404/,
    suggestion: 'Add the bot to the conversation again; in a group, write /activate there.',
  },
];
