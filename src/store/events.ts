import { type Selectable, sql } from 'kysely';
import type { AgentScope } from '../base/scope.ts';
import type { Db, EventsTable, MessagePlatform } from './tables.ts';

/** One entry of an account's feed; `id` grows within the whole gateway and is never used twice. */
export interface StoredEvent extends Omit<Selectable<EventsTable>, 'payload'> {
  readonly payload: Readonly<Record<string, unknown>>;
}

/** Without a platform it is for those alone who may use all of them. */
export type NewEvent = Omit<StoredEvent, 'id' | 'messageSeq' | 'platform'> &
  Partial<Pick<StoredEvent, 'messageSeq' | 'platform'>>;

/** Returns the event's id. */
export async function appendEvent(db: Db, event: NewEvent): Promise<number> {
  const { id } = await db
    .insertInto('events')
    .values({ ...event, payload: JSON.stringify(event.payload) })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** As `appendEvent`, unless the event's agent is gone: then it concerns nobody any more. */
export async function appendAgentEvent(
  db: Db,
  event: NewEvent & { readonly agentId: string },
): Promise<void> {
  await db
    .insertInto('events')
    .columns(['accountId', 'agentId', 'platform', 'type', 'payload', 'createdAt'])
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
        ])
        .where('accountId', '=', event.accountId)
        .where('id', '=', event.agentId),
    )
    .execute();
}

/** Events after `id` of a scope's platforms that concern its agents, or all of the account's; oldest first. */
export async function eventsOfAgents(
  db: Db,
  scope: AgentScope,
  id: number,
  limit: number,
): Promise<StoredEvent[]> {
  return (await eventsWithin(db, scope, id).limit(limit).execute()).map(storedEvent);
}

/** In these words, which those of its index are, too (migration 0007). */
const IS_OF_A_CALL = sql<boolean>`type glob 'call_*'`;

/** The same of one that has been read. */
export function isOfACall({ type }: Pick<StoredEvent, 'type'>): boolean {
  return type.startsWith('call_');
}

/** As `eventsOfAgents`, but of calls alone, and of one platform if it is given. */
export async function callEventsOfAgents(
  db: Db,
  scope: AgentScope,
  id: number,
  { platform, limit }: { readonly platform: MessagePlatform | undefined; readonly limit: number },
): Promise<StoredEvent[]> {
  const ofCalls = eventsWithin(db, scope, id).where(IS_OF_A_CALL).limit(limit);
  const wanted = platform === undefined ? ofCalls : ofCalls.where('platform', '=', platform);
  return (await wanted.execute()).map(storedEvent);
}

function eventsWithin(db: Db, { accountId, agentIds, platforms }: AgentScope, id: number) {
  const ofAgents = db
    .selectFrom('events')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '>', id)
    .where(({ eb, or }) => or([eb('agentId', 'is', null), eb('agentId', 'in', agentIds)]))
    .orderBy('id');
  return platforms === null ? ofAgents : ofAgents.where('platform', 'in', [...platforms]);
}

function storedEvent(row: Selectable<EventsTable>): StoredEvent {
  return { ...row, payload: JSON.parse(row.payload) };
}

/** The account's last event of a call; 0: there is none. */
export async function lastCallEvent(db: Db, accountId: string): Promise<number> {
  const event = await db
    .selectFrom('events')
    .select('id')
    .where('accountId', '=', accountId)
    .where(IS_OF_A_CALL)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return event?.id ?? 0;
}

/** The agents that an account's events of calls after `id` concern; null among them: all. */
export async function agentsOfCallEvents(db: Db, accountId: string, id: number): Promise<(string | null)[]> {
  const rows = await db
    .selectFrom('events')
    .select('agentId')
    .distinct()
    .where('accountId', '=', accountId)
    .where('id', '>', id)
    .where(IS_OF_A_CALL)
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
