import { sql } from 'kysely';
import { changeRows, type Db, findRow } from '../database/rows.ts';
import type { Conversation } from './conversations.ts';
import type { MessageStatus } from './message-tables.ts';
import type { Message } from './messages.ts';

/** A queued message has an expiry. It is cleared once the agents know the result. */
const ON_ITS_WAY: readonly MessageStatus[] = ['pending', 'sending'];
const OVER: readonly MessageStatus[] = ['failed', 'unknown', 'dropped'];

/** Counts the queued messages of a conversation, including one that is just being sent. */
export async function countQueued(db: Db, conversationId: string): Promise<number> {
  return await countUpTo(db, conversationId, Number.MAX_SAFE_INTEGER);
}

/** Returns a message's position in the queue, starting at 1. 0: it is not queued. */
export async function placeInQueue(db: Db, messageId: string): Promise<number> {
  const message = await findRow(db, 'messages', { id: messageId });
  return message?.status === 'pending' ? await countUpTo(db, message.conversationId, message.seq) : 0;
}

async function countUpTo(db: Db, conversationId: string, lastSeq: number): Promise<number> {
  const { count } = await db
    .selectFrom('messages')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where('conversationId', '=', conversationId)
    .where('expiresAt', 'is not', null)
    .where('direction', '=', 'outbound')
    .where('status', 'in', ON_ITS_WAY)
    .where('seq', '<=', lastSeq)
    .executeTakeFirstOrThrow();
  return count;
}

/** Returns the oldest queued message of a conversation that has not expired. */
export async function nextQueued(
  db: Db,
  conversationId: string,
  nowIso: string,
): Promise<Message | undefined> {
  return await queuedIn(db, conversationId)
    .where('direction', '=', 'outbound')
    .where('status', '=', 'pending')
    .where('expiresAt', '>', nowIso)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
}

/** Returns what the agents of a conversation have not been told: queued messages that were sent, and later replies. */
export async function listUntold(
  db: Db,
  conversationId: string,
): Promise<{ readonly delivered: Message[]; readonly replies: Message[] }> {
  const rows = await queuedIn(db, conversationId)
    .where('status', 'in', ['delivered', 'received'])
    .orderBy('seq')
    .execute();
  return {
    delivered: rows.filter(({ direction }) => direction === 'outbound'),
    replies: rows.filter(({ direction }) => direction === 'inbound'),
  };
}

/** Clears the expiry of a conversation's finished messages and of those in `told`. */
export async function endQueued(
  db: Db,
  conversationId: string,
  told: readonly Pick<Message, 'seq'>[],
): Promise<void> {
  const seqs = told.map(({ seq }) => seq);
  await db
    .updateTable('messages')
    .set({ expiresAt: null })
    .where('conversationId', '=', conversationId)
    .where('expiresAt', 'is not', null)
    .where(({ eb, or }) => or([eb('status', 'in', OVER), eb('seq', 'in', seqs)]))
    .execute();
}

/** Returns conversations with messages to report, or to send as far as the conversation's state tells. */
export async function listConversationsToLookAt(db: Db): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversationId')
    .select('conversations.id')
    .distinct()
    .where('messages.expiresAt', 'is not', null)
    .where(({ eb, or }) =>
      or([eb('messages.status', '!=', 'pending'), eb('conversations.closure', 'is', null)]),
    )
    .execute();
  return rows.map(({ id }) => id);
}

/** Returns whether the other side has written since a message was sent. */
export async function haveWrittenSince(
  db: Db,
  { conversationId, seq, changedAt }: Message,
): Promise<boolean> {
  const reply = await db
    .selectFrom('messages')
    .select('seq')
    .where('conversationId', '=', conversationId)
    .where('direction', '=', 'inbound')
    .where('seq', '>', seq)
    .where('changedAt', '>', changedAt)
    .limit(1)
    .executeTakeFirst();
  return reply !== undefined;
}

/** Returns the conversations of all accounts with the same person over a shared login, including this one. */
export async function conversationsWithSame(
  db: Db,
  { id, platform, memberType, memberId, spaceKind, remoteId }: Conversation,
): Promise<string[]> {
  if (memberType !== 'connection' || memberId === null) return [id];
  // A connection that is a login itself has windows of its own.
  if ((await findRow(db, 'connections', { id: memberId }))?.loginKey === null) return [id];
  const rows = await db
    .selectFrom('conversations')
    .select('id')
    .where('platform', '=', platform)
    .where('remoteId', '=', remoteId)
    .where('spaceKind', '=', spaceKind)
    .where('memberType', '=', 'connection')
    .execute();
  return rows.map((row) => row.id);
}

/** Returns the conversations with the same person that have messages queued or to report. */
export async function listQueuedWithSame(db: Db, conversationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('conversations as one')
    .innerJoin('conversations as other', (join) =>
      join
        .onRef('other.platform', '=', 'one.platform')
        .onRef('other.remoteId', '=', 'one.remoteId')
        .onRef('other.spaceKind', '=', 'one.spaceKind')
        .onRef('other.memberType', '=', 'one.memberType'),
    )
    .innerJoin('messages', 'messages.conversationId', 'other.id')
    .select('other.id')
    .distinct()
    .where('one.id', '=', conversationId)
    .where('messages.expiresAt', 'is not', null)
    .execute();
  return rows.map(({ id }) => id);
}

/** Reopens the window because the person wrote at `sentAt`, whatever closed it. */
export async function openWindow(db: Db, conversationIds: readonly string[], sentAt: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ closure: null, lastInboundAt: sql<string>`max(coalesce(last_inbound_at, ''), ${sentAt})` })
    .where('id', 'in', conversationIds)
    .execute();
}

/** Marks the window as closed by the platform. A template already sent stays recorded. */
export async function closeWindow(db: Db, conversationId: string): Promise<void> {
  await changeRows(db, 'conversations', { id: conversationId, closure: null }, { closure: 'closed' });
}

/** Claims the single template of a closed window. Returns false if it is already claimed. */
export async function claimAsking(db: Db, conversationId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('conversations')
    .set({ closure: 'asked' })
    .where('id', '=', conversationId)
    .where(({ eb, or }) => or([eb('closure', 'is', null), eb('closure', '=', 'closed')]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Releases the claim: the template was not sent. */
export async function unclaimAsking(db: Db, conversationId: string): Promise<void> {
  await changeRows(db, 'conversations', { id: conversationId, closure: 'asked' }, { closure: 'closed' });
}

function queuedIn(db: Db, conversationId: string) {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('conversationId', '=', conversationId)
    .where('expiresAt', 'is not', null);
}
