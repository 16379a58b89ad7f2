import { type RawBuilder, sql } from 'kysely';
import type { AgentScope } from '../../base/scope.ts';
import { prepared } from '../database/prepared.ts';
import { type Db, insertReturning, type Row } from '../database/rows.ts';
import type { MessagePlatform } from './message-tables.ts';

/** One entry of an account's feed. `id` increases across the whole gateway and is never reused. */
export type StoredEvent = Row<'events'>;

/** Events without a platform are only for credentials with access to all platforms. */
export type NewEvent = Omit<StoredEvent, 'id' | 'messageSeq' | 'platform' | 'cursorTime'> &
  Partial<Pick<StoredEvent, 'messageSeq' | 'platform'>>;

/** Returns the event's id. */
export async function appendEvent(db: Db, event: NewEvent): Promise<number> {
  const { id } = await insertEvent(db, event);
  return id;
}

/**
 * Appends a copy of one event for each of these agents. All copies have the same cursor time. Call it in a transaction.
 */
export async function appendCopies(
  db: Db,
  event: Omit<NewEvent, 'agentId'>,
  agentIds: readonly string[],
): Promise<void> {
  let time: string | null | undefined;
  for (const agentId of agentIds) time = (await insertEvent(db, { ...event, agentId }, time)).cursorTime;
}

/** An event about a message is identified by that message. Others have the given cursor time, or a later one than all. */
async function insertEvent(
  db: Db,
  { accountId, agentId, type, payload, createdAt, messageSeq = null, platform = null }: NewEvent,
  cursorTime?: string | null,
): Promise<{ id: number; cursorTime: string | null }> {
  const row = { accountId, agentId, type, payload, createdAt, messageSeq, platform };
  if (messageSeq === null && cursorTime === undefined) return (await insertLater(db, row)).rows[0]!;
  return await insertReturning(db, 'events', { ...row, cursorTime: cursorTime ?? null });
}

type EventRow = Omit<StoredEvent, 'id' | 'cursorTime'>;

const insertLater = prepared(
  (db, { accountId, agentId, type, payload, createdAt, messageSeq, platform }: EventRow) =>
    db
      .insertInto('events')
      .values({
        ...{ accountId, agentId, type, payload, createdAt, messageSeq, platform },
        cursorTime: laterThanAll({ accountId, createdAt }),
      })
      .returning(['id', 'cursorTime']),
);

/** Like `appendEvent`, but does nothing if the event's agent is gone. */
export async function appendAgentEvent(
  db: Db,
  event: Omit<NewEvent, 'messageSeq'> & { readonly agentId: string },
): Promise<void> {
  await appendForAgent(db, { platform: null, ...event });
}

type AgentEvent = Pick<StoredEvent, 'accountId' | 'platform' | 'type' | 'payload' | 'createdAt'> & {
  readonly agentId: string;
};

const appendForAgent = prepared(
  (db, { accountId, agentId, platform, type, payload, createdAt }: AgentEvent) =>
    db
      .insertInto('events')
      .columns(['accountId', 'agentId', 'platform', 'type', 'payload', 'createdAt', 'cursorTime'])
      .expression((query) =>
        query
          .selectFrom('agents')
          .select(({ val }) => [
            'accountId',
            'id as agentId',
            val(platform).as('platform'),
            val(type).as('type'),
            val(payload).as('payload'),
            val(createdAt).as('createdAt'),
            laterThanAll({ accountId, createdAt }).as('cursorTime'),
          ])
          .where('accountId', '=', accountId)
          .where('id', '=', agentId),
      ),
);

/**
 * Cursors identify all other events by their time. Each therefore gets a later time than all messages of its account
 * and all such events before it: a few milliseconds ahead of the clock when many happen at once, more after the clock
 * was set back.
 */
function laterThanAll({
  accountId,
  createdAt,
}: Pick<NewEvent, 'accountId' | 'createdAt'>): RawBuilder<string> {
  const ofEvents = sql`select max(cursor_time) from events where account_id = ${accountId} and cursor_time is not null`;
  const ofMessages = sql`select max(created_at) from messages where account_id = ${accountId}`;
  return sql`max(${createdAt}, ${justAfter(ofEvents)}, ${justAfter(ofMessages)})`;
}

function justAfter(time: RawBuilder<unknown>): RawBuilder<string> {
  return sql`coalesce(strftime('%Y-%m-%dT%H:%M:%fZ', (${time}), '+0.001 seconds'), '')`;
}

/** Returns events after `id` on a scope's platforms, for its agents or for the whole account; oldest first. */
export async function eventsOfAgents(
  db: Db,
  scope: AgentScope,
  id: number,
  limit: number,
): Promise<StoredEvent[]> {
  return await eventsOf(db, scope).where('id', '>', id).orderBy('id').limit(limit).execute();
}

/** Filters events that are not about a message. */
export interface OtherEventFilter {
  /** Later than this cursor time. */
  readonly after: string;
  /** Not later than this cursor time. Null: no upper limit. */
  readonly until: string | null;
  readonly platform: MessagePlatform | undefined;
  readonly limit: number;
}

/** Returns a scope's events that are not about a message, oldest first. */
export async function otherEventsOfAgents(
  db: Db,
  scope: AgentScope,
  { after, until, platform, limit }: OtherEventFilter,
): Promise<StoredEvent[]> {
  let found = eventsOf(db, scope)
    .where('cursorTime', '>', after)
    .orderBy('cursorTime')
    .orderBy('id')
    .limit(limit);
  if (until !== null) found = found.where('cursorTime', '<=', until);
  if (platform !== undefined) found = found.where('platform', '=', platform);
  return await found.execute();
}

function eventsOf(db: Db, { accountId, agentIds, platforms }: AgentScope) {
  const ofAgents = db
    .selectFrom('events')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(({ eb, or }) => or([eb('agentId', 'is', null), eb('agentId', 'in', agentIds)]));
  return platforms === null ? ofAgents : ofAgents.where('platform', 'in', [...platforms]);
}

/** Returns the cursor time of the account's newest event that is not about a message. Undefined: there is none. */
export async function newestEventTime(db: Db, accountId: string): Promise<string | undefined> {
  const { rows } = await newestTime(db, { accountId });
  return rows[0]?.time ?? undefined;
}

const newestTime = prepared((db, { accountId }: { readonly accountId: string }) =>
  db
    .selectFrom('events')
    .select(({ fn }) => fn.max<string | null>('cursorTime').as('time'))
    .where('accountId', '=', accountId)
    .where('cursorTime', 'is not', null),
);

/**
 * Returns the agents concerned by an account's non-message events after a cursor time. Null in the list: all agents.
 */
export async function agentsOfOtherEvents(
  db: Db,
  accountId: string,
  after: string,
): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('events')
    .select('agentId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('cursorTime', '>', after)
    .execute();
  return rows.map(({ agentId }) => agentId);
}

/** Returns the last event about the account's newest message up to `messageSeq`. 0: there is none. */
export async function lastEventOfMessages(db: Db, accountId: string, messageSeq: number): Promise<number> {
  const event = await db
    .selectFrom('events')
    .select('id')
    .where('accountId', '=', accountId)
    .where('messageSeq', 'is not', null)
    .where('messageSeq', '<=', messageSeq)
    .orderBy('messageSeq', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return event?.id ?? 0;
}

/** Returns the account's first event about a message after `messageSeq`. */
export async function firstEventBehind(
  db: Db,
  accountId: string,
  messageSeq: number,
): Promise<number | undefined> {
  const event = await db
    .selectFrom('events')
    .select(({ fn }) => fn.min<number | null>('id').as('id'))
    .where('accountId', '=', accountId)
    .where('messageSeq', 'is not', null)
    .where('messageSeq', '>', messageSeq)
    .executeTakeFirst();
  return event?.id ?? undefined;
}

/** Returns the account's last event up to a time, or its last event of all. 0: there is none. */
export async function lastEventUntil(db: Db, accountId: string, iso: string | null): Promise<number> {
  const all = db.selectFrom('events').select('id').where('accountId', '=', accountId);
  const until = iso === null ? all : all.where('createdAt', '<=', iso);
  const event = await until.orderBy('id', 'desc').limit(1).executeTakeFirst();
  return event?.id ?? 0;
}
