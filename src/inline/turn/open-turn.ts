import type { Db } from '../../store/database/tables.ts';
import type { Delivery } from '../../store/inline/deliveries.ts';
import {
  type BusyLane,
  beginTurn,
  findOpenTurn,
  listQueued,
  listTurn,
} from '../../store/inline/delivery-turns.ts';
import type { InlineDomain } from '../inline-domain.ts';

/** Limit of events in one turn. */
export const MAX_MERGED = 20;

/** A turn of a model: one delivery that leads it, and those that arrived meanwhile. */
export interface Turn {
  readonly place: BusyLane;
  readonly lead: Delivery;
  /** All of its deliveries, oldest first. */
  readonly deliveries: readonly Delivery[];
  /** More waits in the lane. */
  readonly hasMore: boolean;
}

/**
 * Returns the turn of a lane that an earlier process left, or begins one with what waits there. Null: nothing does.
 */
export async function openTurn({ store, clock }: InlineDomain, place: BusyLane): Promise<Turn | null> {
  return await store.db.transaction().execute(async (trx) => {
    return (await leftTurn(trx, place)) ?? (await newTurn(trx, place, clock.nowIso()));
  });
}

async function leftTurn(trx: Db, place: BusyLane): Promise<Turn | null> {
  const lead = await findOpenTurn(trx, place.agentId, place.lane);
  if (!lead) return null;
  const [waiting] = await listQueued(trx, place.agentId, place.lane, 1);
  return { place, lead, deliveries: await listTurn(trx, lead.id), hasMore: waiting !== undefined };
}

async function newTurn(trx: Db, place: BusyLane, nowIso: string): Promise<Turn | null> {
  const queued = await listQueued(trx, place.agentId, place.lane, MAX_MERGED + 1);
  const deliveries = queued.slice(0, MAX_MERGED);
  const [lead, ...others] = deliveries;
  if (!lead) return null;
  await beginTurn(trx, [lead.id, ...others.map(({ id }) => id)], nowIso);
  const begun = { ...lead, status: 'sent', turnId: lead.id } as const;
  return { place, lead: begun, deliveries: [begun, ...others], hasMore: queued.length > MAX_MERGED };
}
