import type { Selectable } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
import type { DeliveriesTable, DeliveryStatus } from './inline-tables.ts';

/** An event to be delivered to an agent's model. */
export interface Delivery extends Omit<Selectable<DeliveriesTable>, 'payload'> {
  readonly payload: Readonly<Record<string, unknown>>;
}

/** A delivery that no model has seen. */
export type NewDelivery = Pick<
  Delivery,
  'id' | 'accountId' | 'agentId' | 'eventId' | 'eventType' | 'lane' | 'payload' | 'replayOf' | 'createdAt'
>;

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Adds a delivery to the queue, or with a reason as one that failed. */
export async function insertDelivery(
  db: Db,
  delivery: NewDelivery,
  failure: DeliveryFailure | null = null,
): Promise<Delivery> {
  const { rows } = await insert(db, {
    ...delivery,
    payload: JSON.stringify(delivery.payload),
    status: failure === null ? 'queued' : 'failed',
    error: failure?.error ?? null,
    errorType: failure?.errorType ?? null,
  });
  return fromRow(rows[0]!);
}

type NewRow = Omit<NewDelivery, 'payload'> &
  Pick<Selectable<DeliveriesTable>, 'payload' | 'status' | 'error' | 'errorType'>;

const insert = prepared(
  (
    db,
    {
      id,
      accountId,
      agentId,
      eventId,
      eventType,
      lane,
      payload,
      status,
      error,
      errorType,
      replayOf,
      createdAt,
    }: NewRow,
  ) =>
    db
      .insertInto('deliveries')
      .values({
        ...{ id, accountId, agentId, eventId, eventType, lane, payload, status, error, errorType, replayOf },
        createdAt,
        updatedAt: createdAt,
      })
      .returningAll(),
);

/** Why a delivery failed: words for people, and the kind of the fault. */
export interface DeliveryFailure {
  readonly error: string;
  readonly errorType: string;
}

/** Returns one page of an agent's deliveries, newest first. */
export async function listDeliveries(db: Db, agentId: string, { limit, offset }: Page): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('agentId', '=', agentId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(fromRow);
}

/** Counts an agent's deliveries with one status, or all of them. */
export async function countDeliveries(db: Db, agentId: string, status?: DeliveryStatus): Promise<number> {
  const all = db
    .selectFrom('deliveries')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('agentId', '=', agentId);
  const wanted = status === undefined ? all : all.where('status', '=', status);
  return (await wanted.executeTakeFirstOrThrow()).count;
}

/** Counts the deliveries of one lane since a time for which the model was called or will be. */
export async function countLaneSince(db: Db, agentId: string, lane: string, since: string): Promise<number> {
  const { count } = await db
    .selectFrom('deliveries')
    .select((query) => query.fn.countAll<number>().as('count'))
    .where('agentId', '=', agentId)
    .where('createdAt', '>=', since)
    .where('lane', '=', lane)
    .where('status', '!=', 'failed')
    .executeTakeFirstOrThrow();
  return count;
}

export async function findDelivery(
  db: Db,
  accountId: string,
  deliveryId: string,
): Promise<Delivery | undefined> {
  const row = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('id', '=', deliveryId)
    .executeTakeFirst();
  return row && fromRow(row);
}

/**
 * Deletes those of the `limit` oldest deliveries that are from before a time, with their actions. Returns their number.
 */
export async function deleteOldestDeliveries(db: Db, before: string, limit: number): Promise<number> {
  const oldest = db.selectFrom('deliveries').select(['seq', 'createdAt']).orderBy('seq').limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('deliveries')
    .where('seq', 'in', (query) =>
      query.selectFrom(oldest.as('oldest')).select('oldest.seq').where('oldest.createdAt', '<', before),
    )
    .executeTakeFirst();
  return Number(numDeletedRows);
}

export function fromRow(row: Selectable<DeliveriesTable>): Delivery {
  return { ...row, payload: JSON.parse(row.payload) };
}
