import { keyOfLogin } from '../../base/address.ts';
import { cutText } from '../../base/cut-text.ts';
import type { AnsweredMessage, InboundMessage } from '../../connectors/contract/messenger.ts';
import { type Db, findRow, listRows } from '../../store/database/rows.ts';
import type { Conversation } from '../../store/messages/conversations.ts';
import type { ReplyTo } from '../../store/messages/message-tables.ts';
import { findPlatformMessage, type Message } from '../../store/messages/messages.ts';
import { findConversationAt } from '../../store/messages/spaces.ts';
import type { IntakeDomain } from './intake-domain.ts';
import { shownName } from './shown-name.ts';

/** What is kept of the words, in UTF-16 units. */
const MAX_TEXT = 1_000;
const MAX_FILES = 4;

/**
 * Returns what a person's message answers: a message of the store, or else what the platform tells of it. Call it in the
 * transaction that stores the person's message.
 */
export async function answeredBy(
  { platform, keepFiles }: Pick<IntakeDomain, 'platform' | 'keepFiles'>,
  trx: Db,
  conversation: Conversation,
  { from: { login }, replyTo: told }: Pick<InboundMessage, 'from' | 'replyTo'>,
): Promise<ReplyTo | null> {
  if (!told) return null;
  const known = await findAnswered(trx, conversation, told);
  if (known) return await replyTo(trx, conversation, known, told.text);
  const { author, text, files = [] } = told;
  if (text === '' && files.length === 0) return null;
  const origin = { accountId: conversation.accountId, platform, loginKey: keyOfLogin(login) };
  const { fileIds } = await keepFiles(trx, origin, files.slice(0, MAX_FILES));
  return { messageId: null, author: shownName(author), text: shortened(text), fileIds };
}

/** A thread is a conversation of its own, and may answer what was written outside. */
async function findAnswered(
  trx: Db,
  { id, memberType, memberId, remoteId, spaceKind, thread, lastSeq }: Conversation,
  { platformMessageId }: AnsweredMessage,
): Promise<Message | undefined> {
  if (platformMessageId === null || memberType === null || memberId === null) return undefined;
  const here = await findPlatformMessage(trx, id, platformMessageId);
  if (here || thread === '') return here;
  const place = { space: { kind: spaceKind, id: remoteId }, thread: null };
  // What began a thread is the context of its first message only.
  if (lastSeq !== 0) return undefined;
  const outside = await findConversationAt(trx, { type: memberType, id: memberId }, place);
  return outside && (await findPlatformMessage(trx, outside.id, platformMessageId));
}

/** Returns a message of the store as what another one answers. `picked`: its words that count; '' for all of them. */
export async function replyTo(
  db: Db,
  { remoteName }: Pick<Conversation, 'remoteName'>,
  { id, seq, text, direction, senderAgentId, senderName }: Message,
  picked = '',
): Promise<ReplyTo> {
  const agent = senderAgentId === null ? undefined : await findRow(db, 'agents', { id: senderAgentId });
  const author = direction === 'inbound' ? (senderName ?? remoteName) : (agent?.name ?? null);
  const attached = await listRows(db, 'attachments', { messageSeq: [seq] }, ['position']);
  return {
    messageId: id,
    author,
    text: shortened(picked || text),
    fileIds: attached.slice(0, MAX_FILES).map(({ fileId }) => fileId),
  };
}

function shortened(text: string): string {
  return text.length <= MAX_TEXT ? text : `${cutText(text, MAX_TEXT - 1)}…`;
}
