import { sql } from 'kysely';
import type { AgentScope } from '../../base/scope.ts';
import { isoAfter, latestOf } from '../../base/time.ts';
import { deleteOldest } from '../database/delete-some.ts';
import { prepared } from '../database/prepared.ts';
import {
  changeRows,
  type Db,
  deleteRows,
  insertNewRow,
  insertReturning,
  type Row,
} from '../database/rows.ts';
import { isVisible } from './conversations.ts';
import { newestEventTime } from './events.ts';
import type { MessagePlatform, ReplyTo } from './message-tables.ts';

export type Message = Row<'messages'>;

/** A message that has no position among the stored messages yet. */
export interface NewMessage
  extends Omit<
    Message,
    | 'seq'
    | 'createdAt'
    | 'changedAt'
    | 'error'
    | 'background'
    | 'senderId'
    | 'senderName'
    | 'replyTo'
    | 'choices'
    | 'choice'
    | 'partOf'
    | 'shownId'
  > {
  /** Default: none. */
  readonly shownId?: string | null;
  /** The person who wrote in a channel. Default: not known, or clear from the conversation. */
  readonly sender?: Sender | null;
  /** Default: not sent in the background. */
  readonly background?: Message['background'];
  readonly replyTo?: ReplyTo | null;
  readonly choices?: readonly string[] | null;
  readonly choice?: string | null;
  readonly partOf?: string | null;
  /** The platform's ids. An outbound message has none at first, and may get several. */
  readonly platformMessageIds: readonly string[];
  /** Its attachments, in order. */
  readonly fileIds: readonly string[];
}

/** A person who wrote in a channel. */
export interface Sender {
  /** The platform's permanent id. */
  readonly id: string;
  readonly name: string | null;
}

/**
 * A position among an account's messages. Later messages have higher positions: `createdAt` never decreases as `seq`
 * grows.
 */
export interface MessagePosition {
  readonly createdAt: string;
  readonly seq: number;
}

/** Appends a message, inbound or outbound, after all others of the gateway. Call it in a transaction. */
export async function insertMessage(db: Db, message: NewMessage, nowIso: string): Promise<Message> {
  const { platformMessageIds, fileIds, sender, ...row } = message;
  const written = { senderId: sender?.id ?? null, senderName: sender?.name ?? null };
  const createdAt = await timeAfterAll(db, row.accountId, nowIso);
  const whole = { ...row, ...written, createdAt, changedAt: createdAt };
  const stored = await insertReturning(db, 'messages', whole);
  await changeRows(db, 'conversations', { id: stored.conversationId }, { lastSeq: stored.seq });
  await addPlatformMessageIds(db, stored, platformMessageIds);
  await attach(db, stored.seq, fileIds);
  return stored;
}

/**
 * Returns a time not before any other message, and later than the cursor time of every event of the account, even when
 * the clock is set back. Several messages may share a millisecond.
 */
async function timeAfterAll(db: Db, accountId: string, nowIso: string): Promise<string> {
  const { rows } = await newestTime(db, {});
  const eventTime = await newestEventTime(db, accountId);
  const earliest = eventTime === undefined ? nowIso : isoAfter(eventTime, 1);
  return latestOf(nowIso, earliest, rows[0]?.createdAt ?? '');
}

const newestTime = prepared((db) =>
  db.selectFrom('messages').select('createdAt').orderBy('seq', 'desc').limit(1),
);

async function attach(db: Db, messageSeq: number, fileIds: readonly string[]): Promise<void> {
  if (fileIds.length === 0) return;
  const rows = fileIds.map((fileId, position) => ({ messageSeq, position, fileId }));
  await db.insertInto('attachments').values(rows).execute();
}

/** The message has no files any more. */
export async function detachFiles(db: Db, messageSeq: number): Promise<void> {
  await deleteRows(db, 'attachments', { messageSeq });
}

/** Adds the platform's ids of a message, or of the parts it was sent in. Known ids stay unchanged. */
export async function addPlatformMessageIds(
  db: Db,
  { seq, conversationId }: Pick<Message, 'seq' | 'conversationId'>,
  platformMessageIds: readonly string[],
): Promise<void> {
  for (const platformMessageId of platformMessageIds)
    await insertNewRow(db, 'platformMessages', { platformMessageId, conversationId, messageSeq: seq });
}

/** Finds a message by the platform's id within one conversation. */
export async function findPlatformMessage(
  db: Db,
  conversationId: string,
  platformMessageId: string,
): Promise<Message | undefined> {
  return (await byPlatformId(db, { conversationId, platformMessageId })).rows[0];
}

const byPlatformId = prepared(
  (db, { conversationId, platformMessageId }: Omit<Row<'platformMessages'>, 'messageSeq'>) =>
    db
      .selectFrom('platformMessages')
      .innerJoin('messages', 'messages.seq', 'platformMessages.messageSeq')
      .selectAll('messages')
      .where('platformMessages.platformMessageId', '=', platformMessageId)
      .where('platformMessages.conversationId', '=', conversationId),
);

/** Returns the newest messages of a conversation after skipping `offset`; oldest first. */
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

/** Filters messages by conversation. Omitted fields match everything. */
export interface MessageFilter {
  readonly platform?: MessagePlatform | undefined;
  readonly conversationId?: string | undefined;
}

interface PageOfMessages {
  readonly position: MessagePosition;
  readonly filter: MessageFilter;
  readonly limit: number;
}

/** Messages looked at in one query, which takes a millisecond or two, however few of them are wanted. */
const EXAMINED = 1_000;

/** Returns the messages after a position in the conversations visible to a scope, oldest first. */
export async function messagesAfter(db: Db, scope: AgentScope, page: PageOfMessages): Promise<Message[]> {
  const { filter, limit } = page;
  const found: Message[] = [];
  for (let from: MessagePosition | null = page.position; from !== null; ) {
    const position: MessagePosition = from;
    found.push(...(await wantedOf(db, scope, { position, filter, limit: limit - found.length })));
    from = found.length === limit ? null : await lastExamined(db, scope.accountId, position);
  }
  return found;
}

/** Where the messages end that one query looks at; null: there are no more. */
async function lastExamined(
  db: Db,
  accountId: string,
  { createdAt, seq }: MessagePosition,
): Promise<MessagePosition | null> {
  const { rows } = await farther(db, { accountId, createdAt, seq });
  return rows[0] ?? null;
}

const farther = prepared(
  (db, { accountId, createdAt, seq }: MessagePosition & { readonly accountId: string }) =>
    db
      .selectFrom('messages')
      .select(['createdAt', 'seq'])
      .where('accountId', '=', accountId)
      .where(sql<boolean>`(created_at, seq) > (${createdAt}, ${seq})`)
      .orderBy('createdAt')
      .orderBy('seq')
      .limit(1)
      .offset(sql.lit(EXAMINED - 1)),
);

/** Those that are wanted of the next messages. */
async function wantedOf(
  db: Db,
  scope: AgentScope,
  { position: { createdAt, seq }, filter: { platform, conversationId }, limit }: PageOfMessages,
): Promise<Message[]> {
  const found = db
    .selectFrom((from) =>
      from
        .selectFrom('messages')
        .selectAll()
        .where('accountId', '=', scope.accountId)
        .where(sql<boolean>`(created_at, seq) > (${createdAt}, ${seq})`)
        .orderBy('createdAt')
        .orderBy('seq')
        .limit(EXAMINED)
        .as('messages'),
    )
    .selectAll()
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

/** Returns the agents that can see conversations with messages after a position. */
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

/** Returns the account's newest message, without an access check. Undefined: it has none. */
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

/** Returns the newest message of a conversation. Undefined: there is none. */
export async function newestOf(db: Db, conversationId: string): Promise<Message | undefined> {
  return (await newestIn(db, { conversationId })).rows[0];
}

const newestIn = prepared((db, { conversationId }: Pick<Message, 'conversationId'>) =>
  db
    .selectFrom('messages')
    .selectAll()
    .where('conversationId', '=', conversationId)
    .orderBy('seq', 'desc')
    .limit(1),
);

/** See `deleteOldest`, of all accounts. Messages being sent or pending are kept. */
export async function deleteOldestMessages(db: Db, before: string, limit: number): Promise<number> {
  const condition = sql`status not in ('sending', 'pending')`;
  return await deleteOldest(db, { table: 'messages', key: 'seq', condition }, before, limit);
}
