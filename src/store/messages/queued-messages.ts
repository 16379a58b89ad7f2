import { sql } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { Conversation } from './conversations.ts';
import type { MessageStatus } from './message-tables.ts';
import type { Message } from './messages.ts';
import { findAnyMessage } from './outbound-messages.ts';

/** A message that waits has a time at which it is given up; it loses that once agents know what became of it. */
const ON_ITS_WAY: readonly MessageStatus[] = ['pending', 'sending'];
const OVER: readonly MessageStatus[] = ['failed', 'unknown', 'dropped'];

/** How many messages of a conversation wait, the one that is being sent just now among them. */
export async function countWaiting(db: Db, conversationId: string): Promise<number> {
  return await countUpTo(db, conversationId, Number.MAX_SAFE_INTEGER);
}

/** The place of a message among those that wait, from 1 on; 0: it does not. */
export async function placeInQueue(db: Db, messageId: string): Promise<number> {
  const message = await findAnyMessage(db, messageId);
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

/** The oldest message of a conversation that waits and whose time is not over. */
export async function nextWaiting(
  db: Db,
  conversationId: string,
  nowIso: string,
): Promise<Message | undefined> {
  return await waitingIn(db, conversationId)
    .where('direction', '=', 'outbound')
    .where('status', '=', 'pending')
    .where('expiresAt', '>', nowIso)
    .orderBy('seq')
    .limit(1)
    .executeTakeFirst();
}

/** What agents have not been told of a conversation: which messages that waited went out, and what was written then. */
export async function listUntold(
  db: Db,
  conversationId: string,
): Promise<{ readonly delivered: Message[]; readonly replies: Message[] }> {
  const rows = await waitingIn(db, conversationId)
    .where('status', 'in', ['delivered', 'received'])
    .orderBy('seq')
    .execute();
  return {
    delivered: rows.filter(({ direction }) => direction === 'outbound'),
    replies: rows.filter(({ direction }) => direction === 'inbound'),
  };
}

/** Ends the waiting of whatever in a conversation is neither on its way nor still to be told; and of `told`. */
export async function endWaiting(
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

/** Conversations in which something can be sent, as far as their state tells, or is still to be told. */
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

/** Whether the other side has written since a message went out. */
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

/** Forgets what the platform called a message: it will be sent anew. */
export async function forgetPlatformMessageIds(db: Db, messageSeq: number): Promise<void> {
  await db.deleteFrom('platformMessages').where('messageSeq', '=', messageSeq).execute();
}

/** The conversations that accounts have with one person over a login that they share, this one among them. */
export async function conversationsWithSame(
  db: Db,
  { id, platform, memberType, remoteId }: Conversation,
): Promise<string[]> {
  if (memberType !== 'connection') return [id];
  const rows = await db
    .selectFrom('conversations')
    .select('id')
    .where('platform', '=', platform)
    .where('remoteId', '=', remoteId)
    .where('memberType', '=', 'connection')
    .execute();
  return rows.map((row) => row.id);
}

/** The conversations with the person of one in which something waits or is still to be told. */
export async function listWaitingWithSame(db: Db, conversationId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('conversations as one')
    .innerJoin('conversations as other', (join) =>
      join
        .onRef('other.platform', '=', 'one.platform')
        .onRef('other.remoteId', '=', 'one.remoteId')
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

/** Somebody wrote at `sentAt`: their window is open anew, whatever closed it. */
export async function openWindow(db: Db, conversationIds: readonly string[], sentAt: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ closure: null, lastInboundAt: sql<string>`max(coalesce(last_inbound_at, ''), ${sentAt})` })
    .where('id', 'in', conversationIds)
    .execute();
}

/** The platform says that the window is closed; a template that went out still counts. */
export async function closeWindow(db: Db, conversationId: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ closure: 'closed' })
    .where('id', '=', conversationId)
    .where('closure', 'is', null)
    .execute();
}

/** Claims the one template of a closure; false: somebody has it. */
export async function claimAsking(db: Db, conversationId: string): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('conversations')
    .set({ closure: 'asked' })
    .where('id', '=', conversationId)
    .where(({ eb, or }) => or([eb('closure', 'is', null), eb('closure', '=', 'closed')]))
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Gives the claim back: the template did not go out. */
export async function unclaimAsking(db: Db, conversationId: string): Promise<void> {
  await db
    .updateTable('conversations')
    .set({ closure: 'closed' })
    .where('id', '=', conversationId)
    .where('closure', '=', 'asked')
    .execute();
}

function waitingIn(db: Db, conversationId: string) {
  return db
    .selectFrom('messages')
    .selectAll()
    .where('conversationId', '=', conversationId)
    .where('expiresAt', 'is not', null);
}
