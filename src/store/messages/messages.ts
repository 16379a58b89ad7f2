import { type Selectable, sql } from 'kysely';
import type { AgentScope } from '../../base/scope.ts';
import { isoAfter, latestOf } from '../../base/time.ts';
import type { Db } from '../database/tables.ts';
import { isVisible } from './conversations.ts';
import { newestEventTime } from './events.ts';
import type { MessagePlatform, MessageStatus, MessagesTable } from './message-tables.ts';

export type Message = Selectable<MessagesTable>;

/** A message before it has its place among all others. */
export interface NewMessage
  extends Omit<Message, 'seq' | 'createdAt' | 'changedAt' | 'error' | 'background'> {
  /** Left out: it is not sent in the background. */
  readonly background?: Message['background'];
  /** What the platform calls it; an outbound one has none yet, and may get several. */
  readonly platformMessageIds: readonly string[];
  /** Its attachments, in order. */
  readonly fileIds: readonly string[];
}

/** A place among an account's messages; the next one is behind it. Time never runs backwards beside `seq`. */
export interface MessagePosition {
  readonly createdAt: string;
  readonly seq: number;
}

/** Puts a message behind all others of the gateway, in or out. Run it in a transaction. */
export async function insertMessage(db: Db, message: NewMessage, nowIso: string): Promise<Message> {
  const { platformMessageIds, fileIds, ...row } = message;
  const createdAt = await timeAfterAll(db, row.accountId, nowIso);
  const stored = await db
    .insertInto('messages')
    .values({ background: null, ...row, error: null, createdAt, changedAt: createdAt })
    .returningAll()
    .executeTakeFirstOrThrow();
  const { conversationId, seq } = stored;
  await db.updateTable('conversations').set({ lastSeq: seq }).where('id', '=', conversationId).execute();
  await addPlatformMessageIds(db, stored, platformMessageIds);
  await attach(db, seq, fileIds);
  return stored;
}

/**
 * Not before any other message, and later than every event of the account that has a place of its own (`timeOfEvent`),
 * even when the clock steps back. Many messages may share a millisecond.
 */
async function timeAfterAll(db: Db, accountId: string, nowIso: string): Promise<string> {
  const newest = await db
    .selectFrom('messages')
    .select('createdAt')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  const eventTime = await newestEventTime(db, accountId);
  const earliest = eventTime === undefined ? nowIso : isoAfter(eventTime, 1);
  return latestOf(nowIso, earliest, newest?.createdAt ?? '');
}

async function attach(db: Db, messageSeq: number, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return;
  const rows = fileIds.map((fileId, position) => ({ messageSeq, position, fileId }));
  await db.insertInto('attachments').values(rows).execute();
}

/** What the platform calls a message, or the parts that it was sent in; what is known already is left as it is. */
export async function addPlatformMessageIds(
  db: Db,
  { seq, conversationId }: Pick<Message, 'seq' | 'conversationId'>,
  platformMessageIds: readonly string[],
): Promise<void> {
  if (platformMessageIds.length === 0) return;
  const rows = platformMessageIds.map((platformMessageId) => ({
    platformMessageId,
    conversationId,
    messageSeq: seq,
  }));
  await db
    .insertInto('platformMessages')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** By our id; undefined also when it is another account's. */
export async function findMessage(
  db: Db,
  accountId: string,
  messageId: string,
): Promise<Message | undefined> {
  return await db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', messageId)
    .executeTakeFirst();
}

/** By what the platform calls it within one conversation. */
export async function findPlatformMessage(
  db: Db,
  conversationId: string,
  platformMessageId: string,
): Promise<Message | undefined> {
  return await db
    .selectFrom('platformMessages')
    .innerJoin('messages', 'messages.seq', 'platformMessages.messageSeq')
    .selectAll('messages')
    .where('platformMessages.platformMessageId', '=', platformMessageId)
    .where('platformMessages.conversationId', '=', conversationId)
    .executeTakeFirst();
}

/**
 * Outbound messages that a platform calls so, within one login: a bot's, or (`botId` null) the shared one's. Several
 * only where the platform's ids are not unique.
 */
export async function findSentMessages(
  db: Db,
  platform: string,
  botId: string | null,
  platformMessageId: string,
): Promise<Message[]> {
  return await sentBy(db, platform, botId)
    .innerJoin('platformMessages', 'platformMessages.messageSeq', 'messages.seq')
    .where('platformMessages.platformMessageId', '=', platformMessageId)
    .orderBy('messages.seq')
    .execute();
}

/**
 * An outbound message of one login by our id, if we do not know what the platform calls it and could: it is being sent, or
 * nobody knows what became of it.
 */
export async function findNamelessMessage(
  db: Db,
  platform: string,
  botId: string | null,
  messageId: string,
): Promise<Message | undefined> {
  return await sentBy(db, platform, botId)
    .leftJoin('platformMessages', 'platformMessages.messageSeq', 'messages.seq')
    .where('messages.id', '=', messageId)
    .where('messages.status', 'in', ['sending', 'unknown'])
    .where('platformMessages.messageSeq', 'is', null)
    .executeTakeFirst();
}

function sentBy(db: Db, platform: string, botId: string | null) {
  const sent = db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversationId')
    .selectAll('messages')
    .where('messages.direction', '=', 'outbound')
    .where('conversations.platform', '=', platform as MessagePlatform);
  return botId === null
    ? sent.where('conversations.memberType', '=', 'connection')
    : sent.where('conversations.memberType', '=', 'bot_token').where('conversations.memberId', '=', botId);
}

/** What becomes of a message; what is left out stays. */
export interface StatusChange {
  readonly status: MessageStatus;
  readonly error?: string | null;
  readonly expiresAt?: string | null;
  readonly background?: Message['background'];
}

interface StatusStep {
  readonly from: readonly MessageStatus[];
  readonly change: StatusChange;
}

/** Moves a message on, unless it is in none of the statuses `from`; returns whether it moved. */
export async function changeMessageStatus(
  db: Db,
  seq: number,
  { from, change }: StatusStep,
  nowIso: string,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('messages')
    .set({ ...change, changedAt: nowIso })
    .where('seq', '=', seq)
    .where('status', 'in', from)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Notes whether the platform may have something of a message that is sent in the background. */
export async function setBackground(db: Db, seq: number, background: 'waiting' | 'begun'): Promise<void> {
  await db.updateTable('messages').set({ background }).where('seq', '=', seq).execute();
}

/** What somebody wrote, as they changed it. */
export async function changeMessageText(db: Db, seq: number, text: string, nowIso: string): Promise<void> {
  await db.updateTable('messages').set({ text, changedAt: nowIso }).where('seq', '=', seq).execute();
}

/** In the words of a partial index, without which SQLite would read all messages: it does not look into parameters. */
const UNDER_WAY = sql<boolean>`status in ('sending', 'pending')`;

/** How many messages wait in each of these conversations; those where none does are left out. */
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

/** Gives up, of the messages that wait, up to `limit` whose time is over; returns them as they are now. */
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

/** Messages of all accounts that are in this status, oldest first; the next page begins after the last one's seq. */
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

/** The newest messages of a conversation after leaving out `offset`; oldest first. */
export async function listMessages(
  db: Db,
  conversationId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
): Promise<Message[]> {
  const newestFirst = await db
    .selectFrom('messages')
    .selectAll()
    .where('conversationId', '=', conversationId)
    .orderBy('seq', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return newestFirst.reverse();
}

/** By their place among all messages, oldest first; those that are gone are left out. */
export async function listMessagesBySeq(db: Db, seqs: readonly number[]): Promise<Message[]> {
  return await db.selectFrom('messages').selectAll().where('seq', 'in', seqs).orderBy('seq').execute();
}

/** Of which conversations; what is left out does not matter. */
export interface MessageFilter {
  readonly platform?: MessagePlatform | undefined;
  readonly conversationId?: string | undefined;
}

interface PageOfMessages {
  readonly position: MessagePosition;
  readonly filter: MessageFilter;
  readonly limit: number;
}

/** Messages behind a place, of the conversations that a scope may see, oldest first. */
export async function messagesAfter(
  db: Db,
  scope: AgentScope,
  { position: { createdAt, seq }, filter: { platform, conversationId }, limit }: PageOfMessages,
): Promise<Message[]> {
  const found = db
    .selectFrom('messages')
    .selectAll()
    .where('messages.accountId', '=', scope.accountId)
    .where(sql<boolean>`(messages.created_at, messages.seq) > (${createdAt}, ${seq})`)
    .where(({ exists, selectFrom }) => {
      const seen = selectFrom('conversations')
        .select(sql`1`.as('one'))
        .whereRef('conversations.id', '=', 'messages.conversationId')
        .where((eb) => isVisible(eb, scope));
      return exists(platform === undefined ? seen : seen.where('conversations.platform', '=', platform));
    });
  const wanted =
    conversationId === undefined ? found : found.where('messages.conversationId', '=', conversationId);
  return await wanted.orderBy('messages.createdAt').orderBy('messages.seq').limit(limit).execute();
}

/** The agents that see conversations with messages behind a place. */
export async function agentsOfMessages(
  db: Db,
  accountId: string,
  { createdAt, seq }: MessagePosition,
): Promise<string[]> {
  const rows = await db
    .selectFrom('messages')
    .innerJoin('conversations', 'conversations.id', 'messages.conversationId')
    .leftJoin('agentAccounts', (join) =>
      join
        .onRef('agentAccounts.memberType', '=', 'conversations.memberType')
        .onRef('agentAccounts.memberId', '=', 'conversations.memberId'),
    )
    .select(['agentAccounts.agentId as holderId', 'conversations.agentId', 'conversations.peerAgentId'])
    .distinct()
    .where('messages.accountId', '=', accountId)
    .where(sql<boolean>`(messages.created_at, messages.seq) > (${createdAt}, ${seq})`)
    .execute();
  return rows.flatMap(({ holderId, agentId, peerAgentId }) =>
    [holderId, agentId, peerAgentId].filter((id) => id !== null),
  );
}

/** The account's newest message, whoever may see it; undefined: it has none. */
export async function newestMessage(db: Db, accountId: string): Promise<Message | undefined> {
  return await db
    .selectFrom('messages')
    .selectAll()
    .where('accountId', '=', accountId)
    .orderBy('createdAt', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
}

/**
 * Deletes, of the `limit` oldest messages of all accounts, those from before a time; returns how many. What is on its way
 * stays. Time never runs backwards beside `seq`, so that only so many rows are ever looked at.
 */
export async function deleteOldestMessages(db: Db, before: string, limit: number): Promise<number> {
  const oldest = db
    .selectFrom('messages')
    .select(['seq', 'createdAt'])
    .where('status', 'not in', ['sending', 'pending'])
    .orderBy('seq')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('messages')
    .where('seq', 'in', (query) =>
      query.selectFrom(oldest.as('oldest')).select('oldest.seq').where('oldest.createdAt', '<', before),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
