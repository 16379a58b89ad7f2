import * as z from 'zod';
import type { Address } from '../../../base/address.ts';
import { LimitedMap } from '../../../base/limited-map.ts';
import type { OutboundFile, OutboundMessage, SendOutcome } from '../../contract/messenger.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { CallOptions } from '../../kit/platform-http.ts';
import { outcomeOf, type SendRules, sendParts } from '../../kit/sending.ts';
import { type ConnectorCall, failureOf, type TeamsApi } from '../client.ts';
import { type OpenChatDeps, openChat } from '../login/open-chat.ts';
import type { ConversationReference } from '../teams-records.ts';
import type { ConversationReferences } from './conversation-references.ts';
import { toMarkdown } from './text.ts';

const DEADLINE_MS = 20_000;

/** Microsoft's words for conversations that cannot be written to until somebody writes again. */
const ADDRESS_GONE: ReadonlySet<string> = new Set([
  'MessageWritesBlocked',
  'BotNotInConversationRoster',
  'ForbiddenOperationException',
  'ConversationNotFound',
  'ConversationBlockedByUser',
  'BotDisabledByAdmin',
  'UserNotFound',
]);

export interface SendDeps extends OpenChatDeps {
  readonly references: ConversationReferences;
  readonly pauses: ThrottlePauses;
  /** Offers a file to the person of a chat and returns the id of the card. Rejects with a PlatformFailure. */
  offer(file: FileToOffer, target: PostTarget, options: CallOptions): Promise<string>;
  /** Reports a failed request. */
  failed(failure: PlatformFailure): void;
}

/** A file of a message to a person. */
export interface FileToOffer {
  readonly file: OutboundFile;
  readonly index: number;
  readonly messageId: string;
  readonly personId: string;
}

/** Sends a message: its text and each file are activities of their own. Platform errors are outcomes. */
export async function sendMessage(
  deps: SendDeps,
  { to, text, attachments, messageId }: OutboundMessage,
  signal: AbortSignal,
): Promise<SendOutcome> {
  const { api, pauses } = deps;
  const { id: spaceId } = to.space;
  const options = { deadlineMs: DEADLINE_MS, signal };
  const rules: SendRules = {
    retryMs: 0,
    isGone: ({ code }) => ADDRESS_GONE.has(code),
    pauseMs: ({ afterMs }) => pauses.next(spaceId, afterMs || null),
  };
  const failed = (error: unknown, sentIds: readonly string[], isShown = true): SendOutcome => {
    const failure = failureOf(error);
    deps.failed(failure);
    return outcomeOf(failure, sentIds, rules, isShown);
  };
  try {
    const target = await targetOf(deps, to, options);
    checkFiles(to, attachments);
    const offer = (file: OutboundFile, index: number) =>
      deps.offer({ file, index, messageId, personId: spaceId }, target, options);
    const words = text === '' ? [] : [() => postActivity(api, target, textActivity(text), options)];
    const parts = [...words, ...attachments.map((file, index) => () => offer(file, index))];
    const outcome = await sendParts({ parts, send: async (post) => [await post()], failed });
    if (outcome.kind === 'sent') pauses.succeeded(spaceId);
    return outcome;
  } catch (error) {
    // Opening a chat twice is harmless.
    return failed(error, [], false);
  }
}

/** Where to write to: the newest place heard from, or a person's chat, which is opened. Rejects with a PlatformFailure. */
export async function targetOf(deps: SendDeps, to: Address, options: CallOptions): Promise<PostTarget> {
  const { references } = deps;
  const { space, thread } = to;
  const known = await references.find(space);
  if (known) return { reference: known, thread };
  if (space.kind === 'channel')
    throw new PlatformFailure('refused', 'Nothing has been heard from the channel');
  const reference = await openChat(deps, space.id, options);
  await references.heard(space, reference);
  await references.keep(space);
  return { reference, thread };
}

/** Throws a PlatformFailure if one of the files cannot be sent. */
function checkFiles({ space }: Address, files: readonly OutboundFile[]): void {
  if (files.length === 0) return;
  if (space.kind !== 'direct')
    throw new PlatformFailure('refused', 'Teams takes files of bots only in chats with one person');
  // An upload session cannot be given a range of no bytes (https://github.com/OneDrive/onedrive-api-docs/issues/53).
  const empty = files.find(({ sizeBytes }) => sizeBytes === 0);
  if (empty) throw new PlatformFailure('refused', `Teams takes no empty files: ${empty.name}`);
}

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const MAX_CONVERSATIONS = 10_000;

/** How long to leave a conversation alone after Teams has asked for it, mostly without saying for how long. */
export class ThrottlePauses {
  readonly #random: () => number;
  /** Failures in a row. */
  readonly #failures = new LimitedMap<number>(MAX_CONVERSATIONS);

  /** `random`: 0 to 1. */
  constructor(random: () => number = Math.random) {
    this.#random = random;
  }

  /** Returns the pause after another failure: what Teams says, or doubled each time, and up to half of it longer. */
  next(conversation: string, saidMs: number | null): number {
    const failures = this.#failures.get(conversation) ?? 0;
    this.#failures.set(conversation, failures + 1);
    if (saidMs !== null) return saidMs;
    const pauseMs = Math.min(FIRST_MS * 2 ** failures, LONGEST_MS);
    return Math.round(pauseMs * (1 + this.#random() / 2));
  }

  succeeded(conversation: string): void {
    this.#failures.delete(conversation);
  }
}

const Posted = z.object({ id: z.string().min(1) });

/** Where an activity goes. */
export interface PostTarget {
  readonly reference: ConversationReference;
  /** The thread of a channel; null: none. */
  readonly thread: string | null;
}

/** An activity of the bot. */
export type OutboundActivity =
  | { readonly type: 'message'; readonly text: string; readonly textFormat?: 'markdown' }
  | { readonly type: 'message'; readonly attachments: readonly [object] }
  | { readonly type: 'typing' };

/** Posts a message and returns its id. Rejects with a PlatformFailure. */
export async function postActivity(
  api: TeamsApi,
  target: PostTarget,
  activity: OutboundActivity,
  options: CallOptions,
): Promise<string> {
  return (await api.call(callOf(target, activity), options, Posted)).id;
}

export async function postTyping(api: TeamsApi, target: PostTarget, options: CallOptions): Promise<void> {
  await api.call(callOf(target, { type: 'typing' }), options, z.unknown());
}

/** A text as an activity: in Markdown. */
export function textActivity(text: string): OutboundActivity {
  return { type: 'message', text: toMarkdown(text), textFormat: 'markdown' };
}

function callOf(target: PostTarget, body: OutboundActivity): ConnectorCall {
  const { serviceUrl } = target.reference;
  return { method: 'POST', serviceUrl, path: pathOf(target), body };
}

function pathOf({ reference: { conversationId }, thread }: PostTarget): string {
  const id = thread === null ? conversationId : `${conversationId};messageid=${thread}`;
  return `v3/conversations/${encodeURIComponent(id)}/activities`;
}
