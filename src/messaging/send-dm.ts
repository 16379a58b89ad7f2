import { GatewayError } from '../base/errors.ts';
import { PLATFORM_TRAITS } from '../base/platform.ts';
import type { Messenger } from '../connectors/contract/messenger.ts';
import { agentsOfMember } from '../store/agent-members.ts';
import type { Conversation } from '../store/conversations.ts';
import { activeConversation } from './active-conversation.ts';
import { ANSWER_MS, type DmRequest, type SentDm } from './dm.ts';
import { filesToSend } from './files-to-send.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { sentBefore } from './sent-before.ts';
import { sentOf, stillSending } from './sent-dm.ts';
import { requireMessenger } from './stored-message.ts';
import { type Written, writeMessage } from './write-message.ts';
import { writeToAgent } from './write-to-agent.ts';

/** Files may take longer than an answer. */
const FILES_MS = 120_000;
/** By then the outbox has settled whatever has no files. */
const LATE_MS = 3_000;

/**
 * Writes to whom the agents of a credential talk with on a platform. Resolves when the platform has taken the message, or
 * when it is known that it must wait.
 * @throws GatewayError `no_conversation`, `agent_not_found`, `platform_not_configured`, `capability_missing`,
 *   `send_failed`, `too_many_messages`, and those of files/resolve-attachments
 */
export async function sendDm(domain: OutboundDomain, writer: Writer, request: DmRequest): Promise<SentDm> {
  const before = await sentBefore(domain, writer);
  if (before !== null) return before;
  const sent =
    request.platform === 'agent'
      ? await writeToAgent(domain, writer, request)
      : await writeToPerson(domain, writer, request);
  domain.onWritten(writer.credentialId);
  return sent;
}

async function writeToPerson(domain: OutboundDomain, writer: Writer, request: DmRequest): Promise<SentDm> {
  const conversation = await activeConversation(domain.store.db, writer.scope, request);
  check(requireMessenger(domain, conversation), request);
  const files = await filesToSend(domain, writer.scope.accountId, request.attachments);
  const senderAgentId = await senderOf(domain, writer, conversation);
  const draft = { senderAgentId, text: request.text, files, request: writer.request };
  const withinMs = files.length === 0 ? ANSWER_MS : FILES_MS;
  return await asAnswer(domain, conversation, request.keepTyping, async () =>
    answerOf(domain, await writeMessage(domain, conversation.id, draft, withinMs)),
  );
}

/** What whoever waits for an answer sees meanwhile: nothing that says that somebody still types, unless it is asked for. */
async function asAnswer(
  { replies, typing }: OutboundDomain,
  conversation: Conversation,
  keepTyping: boolean,
  send: () => Promise<SentDm>,
): Promise<SentDm> {
  const wasWaiting = replies.answered(conversation.id);
  typing.stop(conversation.id);
  try {
    const sent = await send();
    if (keepTyping) typing.start(conversation);
    return sent;
  } catch (error) {
    // Nobody has answered them after all.
    if (wasWaiting) replies.begin(conversation.id);
    throw error;
  }
}

/** What can be said before anything is stored. */
function check(messenger: Messenger, { text, attachments }: DmRequest): void {
  const hasFiles = attachments.length > 0;
  if (hasFiles && !PLATFORM_TRAITS[messenger.platform].files)
    throw new GatewayError('capability_missing', `The ${messenger.platform} platform takes no files`);
  if (text !== '') messenger.checkText(text, hasFiles);
}

/** Of the agents that the writer acts for, the first one that has the conversation's platform account. */
async function senderOf(
  { store }: OutboundDomain,
  { scope }: Writer,
  { memberType, memberId }: Conversation,
): Promise<string | null> {
  if (memberType === null || memberId === null) return null;
  const agents = await agentsOfMember(store.db, { type: memberType, id: memberId });
  return scope.agentIds.find((id) => agents.includes(id)) ?? null;
}

/** What can be answered by now. Only files may still be under way. */
async function answerOf(
  { clock, onFailure }: OutboundDomain,
  { messageId, settled }: Written,
): Promise<SentDm> {
  const late = Promise.withResolvers<null>();
  const stop = clock.after(ANSWER_MS + LATE_MS, () => late.resolve(null));
  try {
    const known = await Promise.race([settled, late.promise]);
    if (known !== null) return sentOf(messageId, known);
    settled.catch((error: unknown) => onFailure('a message', error));
    return stillSending(messageId);
  } finally {
    stop();
  }
}
