import { sql } from 'kysely';
import { DEFAULT_AGENT_FIRST, type Member } from '../agents/agents.ts';
import { changeRows, type Db } from '../database/rows.ts';
import type { Conversation } from './conversations.ts';
import type { MessageStatus } from './message-tables.ts';
import type { Message } from './messages.ts';

/** How many of the newest messages are searched for unanswered ones. */
const LOOK_BACK = 20_000;

/** Returns the total size of a message's files, as far as their sizes are known. */
export async function attachedBytes(db: Db, messageSeq: number): Promise<number> {
  const row = await db
    .selectFrom('attachments')
    .innerJoin('files', 'files.id', 'attachments.fileId')
    .select(({ fn }) => fn.coalesce(fn.sum<number>('files.sizeBytes'), sql<number>`0`).as('bytes'))
    .where('attachments.messageSeq', '=', messageSeq)
    .executeTakeFirstOrThrow();
  return row.bytes;
}

/** Returns the timeout texts of the agents of a platform account; the default agent first, then the oldest. */
export async function timeoutTextsOf(db: Db, member: Member): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('agentAccounts')
    .innerJoin('agents', 'agents.id', 'agentAccounts.agentId')
    .select('agents.timeoutText')
    .where('agentAccounts.memberType', '=', member.type)
    .where('agentAccounts.memberId', '=', member.id)
    .orderBy(DEFAULT_AGENT_FIRST)
    .execute();
  return rows.map(({ timeoutText }) => timeoutText);
}

/** Returns active direct conversations with people whose newest message is inbound and later than `since`. */
export async function listUnanswered(db: Db, since: string): Promise<Conversation[]> {
  return await db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.lastSeq', 'messages.seq')
    .selectAll('conversations')
    .where('messages.seq', '>', (eb) =>
      eb.selectFrom('messages').select(sql<number>`coalesce(max(seq), 0) - ${LOOK_BACK}`.as('first')),
    )
    .where('messages.createdAt', '>', since)
    .where('messages.direction', '=', 'inbound')
    .where('conversations.platform', '!=', 'agent')
    .where('conversations.spaceKind', '=', 'direct')
    .where('conversations.status', '=', 'active')
    .orderBy('messages.seq')
    .execute();
}

/** A status change of a message. Omitted fields stay unchanged. */
export interface StatusChange {
  readonly status: MessageStatus;
  readonly error?: string | null;
  readonly expiresAt?: string | null;
  readonly background?: Message['background'];
}

/** Changes a message's status if its current one is in `from`. Returns whether it did. */
export async function changeMessageStatus(
  db: Db,
  seq: number,
  { from, change }: { readonly from: readonly MessageStatus[]; readonly change: StatusChange },
  nowIso: string,
): Promise<boolean> {
  return await changeRows(db, 'messages', { seq, status: from }, { ...change, changedAt: nowIso });
}

/**
 * Repeats the condition of a partial index. With a parameter instead, SQLite would not use the index and read all
 * messages.
 */
const UNDER_WAY = sql<boolean>`status in ('sending', 'pending')`;

/** Counts the pending messages of each of these conversations. Conversations without any are left out. */
export async function countPending(db: Db, conversationIds: readonly string[]): Promise<Map<string, number>> {
  if (conversationIds.length === 0) return new Map();
  const rows = await db
    .selectFrom('messages')
    .select(({ fn }) => ['conversationId', fn.countAll<number>().as('count')])
    .where('status', '=', 'pending')
    .where('expiresAt', 'is not', null)
    .where('conversationId', 'in', conversationIds)
    .groupBy('conversationId')
    .execute();
  return new Map(rows.map(({ conversationId, count }) => [conversationId, count]));
}

/** Drops up to `limit` pending messages that have expired. Returns them as updated. */
export async function dropExpired(db: Db, nowIso: string, limit: number): Promise<Message[]> {
  const expired = db
    .selectFrom('messages')
    .select('seq')
    .where(UNDER_WAY)
    .where('status', '=', 'pending')
    .where('expiresAt', '<=', nowIso)
    .orderBy('seq')
    .limit(limit);
  return await db
    .updateTable('messages')
    .set({ status: 'dropped', changedAt: nowIso })
    .where('seq', 'in', expired)
    .returningAll()
    .execute();
}

/** Returns messages of all accounts with this status, oldest first. The next page begins after the last one's `seq`. */
export async function listUnderWay(
  db: Db,
  status: 'sending' | 'pending',
  afterSeq: number,
  limit: number,
): Promise<Message[]> {
  return await db
    .selectFrom('messages')
    .selectAll()
    .where(UNDER_WAY)
    .where('status', '=', status)
    .where('seq', '>', afterSeq)
    .orderBy('seq')
    .limit(limit)
    .execute();
}
