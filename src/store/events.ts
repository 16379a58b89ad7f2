import type { Selectable } from 'kysely';
import type { Db, EventsTable } from './tables.ts';

/** One entry of an account's feed; `id` grows within the whole gateway and is never used twice. */
export interface StoredEvent extends Omit<Selectable<EventsTable>, 'payload'> {
  readonly payload: Readonly<Record<string, unknown>>;
}

export type NewEvent = Omit<StoredEvent, 'id' | 'messageSeq'> & { readonly messageSeq?: number };

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
    .columns(['accountId', 'agentId', 'type', 'payload', 'createdAt'])
    .expression((query) =>
      query
        .selectFrom('agents')
        .select(({ val }) => [
          'accountId',
          'id as agentId',
          val(event.type).as('type'),
          val(JSON.stringify(event.payload)).as('payload'),
          val(event.createdAt).as('createdAt'),
        ])
        .where('accountId', '=', event.accountId)
        .where('id', '=', event.agentId),
    )
    .execute();
}

/** The account's events after `id`, oldest first. */
export async function eventsAfter(
  db: Db,
  accountId: string,
  id: number,
  limit: number,
): Promise<StoredEvent[]> {
  const rows = await db
    .selectFrom('events')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '>', id)
    .orderBy('id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
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
