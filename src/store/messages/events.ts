import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { AgentScope } from '../../base/scope.ts';
import type { Db } from '../database/tables.ts';
import type { EventsTable, MessagePlatform } from './message-tables.ts';

/** One entry of an account's feed; `id` grows within the whole gateway and is never used twice. */
export interface StoredEvent extends Omit<Selectable<EventsTable>, 'payload'> {
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Without a platform it is for those alone who may use all of them. */
export type NewEvent = Omit<StoredEvent, 'id' | 'messageSeq' | 'platform' | 'cursorTime'> &
  Partial<Pick<StoredEvent, 'messageSeq' | 'platform'>>;

/** Returns the event's id. */
export async function appendEvent(db: Db, event: NewEvent): Promise<number> {
  const { id } = await insertEvent(db, event, cursorTimeOf(event));
  return id;
}

/** Appends a copy of one event for each of these agents, all with the same cursor time. Run it in a transaction. */
export async function appendCopies(
  db: Db,
  event: Omit<NewEvent, 'agentId'>,
  agentIds: readonly string[],
): Promise<void> {
  let time: CursorTime = cursorTimeOf(event);
  for (const agentId of agentIds) time = (await insertEvent(db, { ...event, agentId }, time)).cursorTime;
}

type CursorTime = RawBuilder<string> | string | null;

async function insertEvent(
  db: Db,
  event: NewEvent,
  cursorTime: CursorTime,
): Promise<{ id: number; cursorTime: string | null }> {
  return await db
    .insertInto('events')
    .values({ ...event, payload: JSON.stringify(event.payload), cursorTime })
    .returning(['id', 'cursorTime'])
    .executeTakeFirstOrThrow();
}

/** As `appendEvent`, unless the event's agent is gone: then it concerns nobody any more. */
export async function appendAgentEvent(
  db: Db,
  event: Omit<NewEvent, 'messageSeq'> & { readonly agentId: string },
): Promise<void> {
  await db
    .insertInto('events')
    .columns(['accountId', 'agentId', 'platform', 'type', 'payload', 'createdAt', 'cursorTime'])
    .expression((query) =>
      query
        .selectFrom('agents')
        .select(({ val }) => [
          'accountId',
          'id as agentId',
          val(event.platform ?? null).as('platform'),
          val(event.type).as('type'),
          val(JSON.stringify(event.payload)).as('payload'),
          val(event.createdAt).as('createdAt'),
          laterThanAll(event).as('cursorTime'),
        ])
        .where('accountId', '=', event.accountId)
        .where('id', '=', event.agentId),
    )
    .execute();
}

/** An event that tells of a message is named by that message. */
function cursorTimeOf(event: Omit<NewEvent, 'agentId'>): RawBuilder<string> | null {
  return typeof event.messageSeq === 'number' ? null : laterThanAll(event);
}

/**
 * A cursor names all other events by their time, so each has a later one than all messages of its account and all such
 * events before it: a few milliseconds ahead of the clock when many happen at once, more after the clock stepped back.
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

/** Events after `id` of a scope's platforms that concern its agents, or all of the account's; oldest first. */
export async function eventsOfAgents(
  db: Db,
  scope: AgentScope,
  id: number,
  limit: number,
): Promise<StoredEvent[]> {
  const found = eventsOf(db, scope).where('id', '>', id).orderBy('id').limit(limit);
  return (await found.execute()).map(storedEvent);
}

/** Which events without a message are wanted. */
export interface OtherEventFilter {
  /** Later than this cursor time. */
  readonly after: string;
  /** And not later than this one; null: all of them. */
  readonly until: string | null;
  readonly platform: MessagePlatform | undefined;
  readonly limit: number;
}

/** Events of a scope that tell of no message, oldest first. */
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
  return (await found.execute()).map(storedEvent);
}

function eventsOf(db: Db, { accountId, agentIds, platforms }: AgentScope) {
  const ofAgents = db
    .selectFrom('events')
    .selectAll()
    .where('accountId', '=', accountId)
    .where(({ eb, or }) => or([eb('agentId', 'is', null), eb('agentId', 'in', agentIds)]));
  return platforms === null ? ofAgents : ofAgents.where('platform', 'in', [...platforms]);
}

function storedEvent(row: Selectable<EventsTable>): StoredEvent {
  return { ...row, payload: JSON.parse(row.payload) };
}

/** The cursor time of the account's newest event that tells of no message; undefined: there is none. */
export async function newestEventTime(db: Db, accountId: string): Promise<string | undefined> {
  const { time } = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<string | null>('cursorTime').as('time'))
    .where('accountId', '=', accountId)
    .where('cursorTime', 'is not', null)
    .executeTakeFirstOrThrow();
  return time ?? undefined;
}

/** The agents that an account's events after a cursor time concern, those that tell of no message; null among them: all. */
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

/** The last event that tells of the account's newest message up to a place; 0: there is none. */
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

/** The account's first event that tells of a message behind a place among its messages. */
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

/** The account's last event up to a time, or ever; 0: there is none. */
export async function lastEventUntil(db: Db, accountId: string, iso: string | null): Promise<number> {
  const all = db.selectFrom('events').select('id').where('accountId', '=', accountId);
  const until = iso === null ? all : all.where('createdAt', '<=', iso);
  const event = await until.orderBy('id', 'desc').limit(1).executeTakeFirst();
  return event?.id ?? 0;
}

/**
 * Deletes, of the `limit` oldest events, those from before a time; returns how many. Ids grow with time, so that only
 * so many rows are ever looked at.
 */
export async function deleteOldestEvents(db: Db, before: string, limit: number): Promise<number> {
  const oldest = db.selectFrom('events').select(['id', 'createdAt']).orderBy('id').limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('events')
    .where('id', 'in', (query) =>
      query.selectFrom(oldest.as('oldest')).select('oldest.id').where('oldest.createdAt', '<', before),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}
