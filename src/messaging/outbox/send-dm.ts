import { unreachable } from '../../base/assert.ts';
import { GatewayError, MAY_HAVE_ARRIVED, sendFailed } from '../../base/errors.ts';
import type { Messenger, OutboundFile } from '../../connectors/contract/messenger.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import { findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { Message } from '../../store/messages/messages.ts';
import { countPending } from '../../store/messages/outbound-messages.ts';
import {
  ANSWER_MS,
  activeConversation,
  type DmRequest,
  filesToSend,
  type SentDm,
  sentOf,
  stillSending,
} from './dm.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { requireMessenger } from './stored-message.ts';
import { type Written, writeMessage } from './write-message.ts';
import { writeToAgent } from './write-to-agent.ts';

/** Files may take longer than the answer to the request. */
const FILES_MS = 120_000;
/** Margin after which the outbox has settled any message without files. */
const LATE_MS = 3_000;

/**
 * Sends a direct message to the other side of a conversation on a platform. Resolves when the platform has accepted the
 * message, when it is queued, or, with files, once it is stored; an event then reports the result.
 * @throws GatewayError `no_conversation`, `agent_not_found`, `platform_not_configured`, `capability_missing`,
 * `send_failed`, `too_many_messages`, and those of files/resolve-attachments
 */
export async function sendDm(domain: OutboundDomain, writer: Writer, request: DmRequest): Promise<SentDm> {
  const before = await sentBefore(domain, writer);
  if (before !== null) return before;
  return request.platform === 'agent'
    ? await writeToAgent(domain, writer, request)
    : await writeToPerson(domain, writer, request);
}

async function writeToPerson(domain: OutboundDomain, writer: Writer, request: DmRequest): Promise<SentDm> {
  const conversation = await activeConversation(domain.store.db, writer.scope, request);
  const messenger = requireMessenger(domain, conversation);
  if (request.attachments.length > 0 && !takesFiles(messenger))
    throw new GatewayError(
      'capability_missing',
      `The ${conversation.platform} platform does not support files`,
    );
  const files = await filesToSend(domain, writer.scope.accountId, request.attachments);
  await checkText(messenger, request.text, files[0]);
  const senderAgentId = await senderOf(domain, writer, conversation);
  const draft = { senderAgentId, text: request.text, files, request: writer.request };
  const withinMs = files.length === 0 ? ANSWER_MS : FILES_MS;
  return await asAnswer(domain, conversation, request.keepTyping, async (failed) => {
    const written = await writeMessage(domain, conversation.id, draft, withinMs);
    if (written.message.status !== 'sending' || files.length === 0) return await answerOf(domain, written);
    followBackground(domain, written, failed);
    return stillSending(written.message.id);
  });
}

function takesFiles({ files }: Messenger): boolean {
  return files !== undefined && files.isInboundOnly !== true;
}

/**
 * Sends an answer: stops the reply timer and the typing indicator, which restarts afterwards if `keepTyping` is set. If
 * nothing was sent, the reply timer starts again; `send` calls `failed` when it learns that only later.
 */
async function asAnswer(
  { replies, typing }: OutboundDomain,
  conversation: Conversation,
  keepTyping: boolean,
  send: (failed: () => void) => Promise<SentDm>,
): Promise<SentDm> {
  const wasQueued = replies.answered(conversation.id);
  typing.stop(conversation.id);
  const failed = (): void => {
    // The person is still without an answer.
    if (wasQueued) replies.begin(conversation.id);
  };
  try {
    const sent = await send(failed);
    if (keepTyping) typing.start(conversation);
    return sent;
  } catch (error) {
    failed();
    throw error;
  }
}

/**
 * Follows a message sent in the background. If it fails and is still the newest of its conversation, the reply timer
 * starts again.
 */
function followBackground(
  { store: { db }, onFailure }: OutboundDomain,
  { message: { conversationId, seq }, settled }: Written,
  failed: () => void,
): void {
  settled
    .then(async ({ kind }) => {
      if (kind !== 'failed') return;
      const conversation = await findRow(db, 'conversations', { id: conversationId });
      if (conversation?.lastSeq === seq) failed();
    })
    .catch((error: unknown) => onFailure('a message', error));
}

/** The text becomes the caption of the first file. */
async function checkText(messenger: Messenger, text: string, first: OutboundFile | undefined): Promise<void> {
  if (text === '') return;
  if (first && (await messenger.captions?.dropsCaption(first))) return;
  messenger.checkText(text, first !== undefined);
}

/** Returns the first of the writer's agents that has the conversation's platform account. */
async function senderOf(
  { store }: OutboundDomain,
  { scope }: Writer,
  { memberType, memberId }: Conversation,
): Promise<string | null> {
  if (memberType === null || memberId === null) return null;
  const agents = await agentsOfMember(store.db, { type: memberType, id: memberId });
  return scope.agentIds.find((id) => agents.includes(id)) ?? null;
}

/**
 * Returns the result known by the deadline. A message that waited behind others for the window may still be in
 * progress.
 */
async function answerOf(
  { clock, onFailure }: OutboundDomain,
  { message: { id }, settled }: Written,
): Promise<SentDm> {
  const late = Promise.withResolvers<null>();
  const stop = clock.after(ANSWER_MS + LATE_MS, () => late.resolve(null));
  try {
    const known = await Promise.race([settled, late.promise]);
    if (known !== null) return sentOf(id, known);
    settled.catch((error: unknown) => onFailure('a message', error));
    return stillSending(id);
  } finally {
    stop();
  }
}

/**
 * Returns the result of the message that this request created before the gateway crashed. Null: it created none. Throws
 * `send_failed`.
 */
async function sentBefore(
  { store: { db } }: OutboundDomain,
  { scope, request }: Writer,
): Promise<SentDm | null> {
  const messageId = await request?.written(db);
  if (!messageId) return null;
  const message = await findRow(db, 'messages', { accountId: scope.accountId, id: messageId });
  if (!message) throw sendFailed(`The message was deleted meanwhile; ${MAY_HAVE_ARRIVED}`);
  const isPending = message.status === 'pending';
  const waiting = isPending ? await countPending(db, [message.conversationId]) : null;
  return becameOf(message, waiting?.get(message.conversationId) ?? 1);
}

function becameOf({ id, status, error }: Message, position: number): SentDm {
  switch (status) {
    case 'received':
    case 'delivered':
      return sentOf(id, { kind: 'delivered' });
    case 'sending':
      return stillSending(id);
    case 'pending':
      return sentOf(id, { kind: 'waits', templateSent: false, position });
    case 'dropped':
      return sentOf(id, { kind: 'failed', reason: 'The recipient did not reply in time' });
    case 'failed':
    case 'unknown':
      return sentOf(id, { kind: status, reason: error ?? 'The reason is unknown' });
    default:
      return unreachable(status);
  }
}

/**
 * Shows a typing indicator for 65 s or until a message is sent. Also restarts the 60-second reply window, if one is
 * running. Shows nothing on platforms without typing indicators. Throws `no_conversation`.
 */
export async function showDmTyping(
  { store, typing, replies }: OutboundDomain,
  { scope }: Pick<Writer, 'scope'>,
  wanted: Pick<DmRequest, 'platform' | 'conversationId'>,
): Promise<void> {
  const conversation = await activeConversation(store.db, scope, wanted);
  replies.extend(conversation.id);
  typing.start(conversation);
}
