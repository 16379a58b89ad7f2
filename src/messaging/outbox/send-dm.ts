import { GatewayError } from '../../base/errors.ts';
import type { Messenger } from '../../connectors/contract/messenger.ts';
import type { ResolvedFile } from '../../files/resolve-attachments.ts';
import { agentsOfMember } from '../../store/agents/agent-members.ts';
import { type Db, findRow } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import { replyTo } from '../intake/answered-message.ts';
import { checkChoices, composedText, type Words } from './composed-text.ts';
import { ANSWER_MS, activeConversation, type DmRequest, filesToSend } from './dm-request.ts';
import type { OutboundDomain, Writer } from './outbound-domain.ts';
import { type SentDm, sentBefore, sentOf, stillSending } from './sent-dm.ts';
import { splitText } from './split-text.ts';
import { requireMessenger } from './stored-message.ts';
import { type Written, writeMessages } from './write-message.ts';
import { writeToAgent } from './write-to-agent.ts';

/** Files may take longer than the answer to the request. */
const FILES_MS = 120_000;
/** Margin after which the outbox has settled any message without files. */
const LATE_MS = 3_000;

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
  const words = await wordsOf(domain.store.db, conversation, request);
  checkChoices(conversation.platform, messenger, words.choices ?? []);
  const files = await filesToSend(domain, writer.scope.accountId, request.attachments);
  const senderAgentId = await senderOf(domain, writer, conversation);
  const parts = await partsOf(messenger, { ...words, files }, request.split ?? false);
  const drafts = parts.map((part) => ({ ...part, senderAgentId, request: writer.request }));
  const isLong = files.length > 0 || drafts.length > 1;
  return await asAnswer(domain, conversation, request.keepTyping, async (failed) => {
    const written = await writeMessages(domain, conversation.id, drafts, isLong ? FILES_MS : ANSWER_MS);
    if (written[0]!.message.status !== 'sending' || files.length === 0)
      return await answerOf(domain, written);
    for (const each of written) followBackground(domain, each, failed);
    return stillSending(idsOf(written));
  });
}

/** Throws `message_not_found` when the message to answer is not in the conversation. */
async function wordsOf(
  db: Db,
  conversation: Conversation,
  { text, replyTo: answeredId = null, choices = [] }: DmRequest,
): Promise<Words> {
  const where = { id: answeredId ?? '', conversationId: conversation.id };
  const answered = answeredId === null ? null : await findRow(db, 'messages', where);
  if (answered === undefined)
    throw new GatewayError('message_not_found', 'reply_to is no message of this conversation');
  const replies = answered && (await replyTo(db, conversation, answered));
  return { text, replyTo: replies, choices: choices.length === 0 ? null : choices };
}

type Content = Words & { readonly files: readonly ResolvedFile[] };

/**
 * Returns the messages in which a text and its files are sent: one, unless the text is too long and may be split. The first
 * answers what is answered, and the last has choices and files. Throws `send_failed`.
 */
async function partsOf(
  messenger: Messenger,
  content: Content,
  isSplit: boolean,
): Promise<readonly Content[]> {
  const { files, choices, replyTo: replies } = content;
  try {
    await checkText(messenger, content);
    return [content];
  } catch (error) {
    const fits = (text: string) =>
      isTaken(() => messenger.checkText(composedText(messenger, { ...content, text }), false));
    const texts = isSplit && isTooLong(error) ? splitText(content.text, fits) : null;
    if (texts === null) throw error;
    const last = files.length > 0 ? '' : texts.at(-1)!;
    return [...texts.slice(0, files.length > 0 ? texts.length : -1), last].map((text, n, { length }) => ({
      text,
      replyTo: n === 0 ? replies : null,
      choices: n === length - 1 ? choices : null,
      files: n === length - 1 ? files : [],
    }));
  }
}

/** Returns whether a check does not throw that a text is too long. */
export function isTaken(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (isTooLong(error)) return false;
    throw error;
  }
}

function isTooLong(error: unknown): boolean {
  return error instanceof GatewayError && error.code === 'send_failed';
}

function idsOf(written: readonly Written[]): readonly string[] {
  return written.map(({ message }) => message.id);
}

function takesFiles({ files }: Messenger): boolean {
  return files !== undefined && files.isInboundOnly !== true;
}

/** The text becomes the caption of the first file. */
async function checkText(messenger: Messenger, { files: [first], ...words }: Content): Promise<void> {
  const text = composedText(messenger, words);
  if (text === '' || (first && (await messenger.captions?.dropsCaption(first)))) return;
  messenger.checkText(text, first !== undefined, words.choices !== null);
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
 * Returns the result known by the deadline. A message that waited behind others for the window may still be in
 * progress. Of several parts, the first that did not arrive decides.
 */
async function answerOf({ clock, onFailure }: OutboundDomain, written: readonly Written[]): Promise<SentDm> {
  const late = Promise.withResolvers<null>();
  const stop = clock.after(ANSWER_MS + LATE_MS, () => late.resolve(null));
  const all = Promise.all(written.map(({ settled }) => settled));
  try {
    const known = await Promise.race([all, late.promise]);
    if (known !== null) return sentOf(idsOf(written), known);
    all.catch((error: unknown) => onFailure('a message', error));
    return stillSending(idsOf(written));
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
