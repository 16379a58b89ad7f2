import { GatewayError } from '../../base/errors.ts';
import { PLATFORM_TRAITS } from '../../base/platform.ts';
import { dropsCaptions, type Messenger, type OutboundFile } from '../../connectors/contract/messenger.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import { type Conversation, findAnyConversation } from '../../store/messages/conversations.ts';
import { activeConversation } from '../inbox/active-conversation.ts';
import { ANSWER_MS, type DmRequest, type SentDm } from './dm.ts';
import { filesToSend } from './files-to-send.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { sentBefore } from './sent-before.ts';
import { sentOf, stillSending } from './sent-dm.ts';
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
  checkFiles(messenger, request);
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
  const wasWaiting = replies.answered(conversation.id);
  typing.stop(conversation.id);
  const failed = (): void => {
    // The person is still without an answer.
    if (wasWaiting) replies.begin(conversation.id);
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
      const conversation = await findAnyConversation(db, conversationId);
      if (conversation?.lastSeq === seq) failed();
    })
    .catch((error: unknown) => onFailure('a message', error));
}

function checkFiles({ platform }: Messenger, { attachments }: DmRequest): void {
  if (attachments.length > 0 && !PLATFORM_TRAITS[platform].files)
    throw new GatewayError('capability_missing', `The ${platform} platform does not support files`);
}

/** The text becomes the caption of the first file. */
async function checkText(messenger: Messenger, text: string, first: OutboundFile | undefined): Promise<void> {
  if (text === '') return;
  if (first && dropsCaptions(messenger) && (await messenger.dropsCaption(first))) return;
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
