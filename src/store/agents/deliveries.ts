import type { Selectable } from 'kysely';
import type { Db } from '../database/tables.ts';
import type { DeliveriesTable, DeliveryStatus } from './agent-tables.ts';

/** An event to be delivered to an agent's model. */
export interface Delivery extends Omit<Selectable<DeliveriesTable>, 'payload'> {
  readonly payload: Readonly<Record<string, unknown>>;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

export async function insertDelivery(db: Db, delivery: Delivery): Promise<void> {
  await db
    .insertInto('deliveries')
    .values({ ...delivery, payload: JSON.stringify(delivery.payload) })
    .execute();
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

/** Puts a failed delivery back into the queue and clears its result. */
export async function requeueDelivery(db: Db, deliveryId: string, nowIso: string): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'queued', responseBody: null, error: null, updatedAt: nowIso })
    .where('id', '=', deliveryId)
    .where('status', '=', 'failed')
    .execute();
}

function fromRow(row: Selectable<DeliveriesTable>): Delivery {
  return { ...row, payload: JSON.parse(row.payload) };
}
