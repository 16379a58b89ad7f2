import { GatewayError } from '../../base/errors.ts';
import { newId } from '../../base/ids.ts';
import type { Messenger, OutboundFile } from '../../connectors/contract/messenger.ts';
import type { ResolvedFile } from '../../files/resolve-attachments.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { insertMessage, type Message } from '../../store/messages/messages.ts';
import { ANSWER_MS, activeConversation, type DmRequest, filesToSend } from './dm-request.ts';
import type { OutboundDomain, RepeatableRequest, Writer } from './outbound-domain.ts';
import type { Outgoing, Settled } from './outbox.ts';
import { type SentDm, sentBefore, sentOf, stillSending } from './sent-dm.ts';
import { addressOf, requireMessenger } from './stored-message.ts';
import { writeToAgent } from './write-to-agent.ts';

/** Files may take longer than the answer to the request. */
const FILES_MS = 120_000;
/** Margin after which the outbox has settled any message without files. */
const LATE_MS = 3_000;

/** A message before it is stored. */
export interface Draft {
  /** Null: the gateway itself writes. */
  readonly senderAgentId: string | null;
  readonly text: string;
  readonly files: readonly ResolvedFile[];
  /** See `Writer`. */
  readonly request: RepeatableRequest | null;
}

/** A message that is stored and on its way. */
export interface Written {
  readonly message: Message;
  readonly settled: Promise<Settled>;
}

/**
 * Sends a direct message to the other side of a conversation on a platform. Resolves when the platform has accepted the
 * message, when it is queued, or, with files, once it is stored; an event then reports the result.
 * @throws GatewayError `no_conversation`, `agent_not_found`, `platform_not_configured`, `capability_missing`,
 * `send_failed`, `too_many_messages`, `storage_full`, TooManyAttempts, and those of files/resolve-attachments
 */
export async function sendDm(domain: OutboundDomain, writer: Writer, request: DmRequest): Promise<SentDm> {
  const before = await sentBefore(domain, writer);
  if (before !== null) return before;
  domain.store.quota.assertMayWrite(writer.scope.accountId);
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
 * Stores a message to a person, then sends it within `withinMs`; a message with files is sent in the background.
 * Messages of one conversation go out in the order in which they were stored. Throws `no_conversation` when the
 * conversation or its platform account is gone, `too_many_messages`, `not_ready`.
 */
export async function writeMessage(
  domain: OutboundDomain,
  conversationId: string,
  draft: Draft,
  withinMs: number,
): Promise<Written> {
  domain.outbox.assertRoom(conversationId);
  const outgoing = await domain.store.db
    .transaction()
    .execute((trx) => storeMessage(trx, domain, conversationId, draft));
  // No await from here on: another message could overtake this one.
  const { message } = outgoing;
  const waits = message.status === 'pending' ? domain.windows : null;
  const settled = waits ? waits.joined(message.id) : domain.outbox.deliver(outgoing, withinMs);
  domain.wakeups.wake(message.accountId);
  return { message, settled };
}

async function storeMessage(
  db: Db,
  domain: OutboundDomain,
  conversationId: string,
  draft: Draft,
): Promise<Outgoing> {
  const conversation = await findRow(db, 'conversations', { id: conversationId });
  const to = conversation && (await addressOf(db, conversation));
  if (!conversation || !to) throw new GatewayError('no_conversation');
  domain.outbox.assertRoomOf(conversation.accountId);
  const waits = domain.windows !== null && (await domain.windows.mustWait(db, conversation));
  const { senderAgentId, text, files } = draft;
  const row = {
    id: newId('msg'),
    accountId: conversation.accountId,
    conversationId,
    direction: 'outbound',
    senderAgentId,
    text,
    status: waits ? 'pending' : 'sending',
    expiresAt: waits ? domain.windows.expiry() : null,
    platformMessageIds: [],
    fileIds: files.map(({ fileId }) => fileId),
    background: files.length > 0 ? 'waiting' : null,
  } as const;
  const message = await insertMessage(db, row, domain.clock.nowIso());
  await draft.request?.note(db, message.id);
  return { message, conversation, outbound: { messageId: message.id, to, text, attachments: files } };
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

/** Writes to a person in the gateway's own name. Resolves when the platform has accepted or refused the message. */
export async function writeNotice(
  domain: OutboundDomain,
  conversationId: string,
  text: string,
): Promise<{ readonly messageId: string; readonly settled: Settled }> {
  const draft = { senderAgentId: null, text, files: [], request: null };
  const { message, settled } = await writeMessage(domain, conversationId, draft, ANSWER_MS);
  return { messageId: message.id, settled: await settled };
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
