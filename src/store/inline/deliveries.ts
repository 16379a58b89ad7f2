import { type Db, insertReturning, type Row } from '../database/rows.ts';

/** An event to be delivered to an agent's model. */
export type Delivery = Row<'deliveries'>;

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
  const { error, errorType } = failure ?? { error: null, errorType: null };
  const state = { status: failure === null ? 'queued' : 'failed', error, errorType } as const;
  return await insertReturning(db, 'deliveries', { ...delivery, ...state, updatedAt: delivery.createdAt });
}

/** Why a delivery failed: words for people, and the kind of the fault. */
export interface DeliveryFailure {
  readonly error: string;
  readonly errorType: string;
}

/** Returns one page of an agent's deliveries, newest first. */
export async function listDeliveries(db: Db, agentId: string, { limit, offset }: Page): Promise<Delivery[]> {
  return await db
    .selectFrom('deliveries')
    .selectAll()
    .where('agentId', '=', agentId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
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
