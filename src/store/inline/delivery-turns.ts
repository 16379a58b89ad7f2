import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
import { type Delivery, type DeliveryFailure, fromRow } from './deliveries.ts';
import type { DeliveryStatus } from './inline-tables.ts';

/** A conversation or call of an agent in which a delivery waits for its turn or has not ended its turn. */
export interface BusyLane {
  readonly accountId: string;
  readonly agentId: string;
  readonly lane: string;
}

/** Returns every lane with something to do, those that have waited longest first. */
export async function listBusyLanes(db: Db): Promise<BusyLane[]> {
  return await db
    .selectFrom('deliveries')
    .select(['accountId', 'agentId', 'lane'])
    .where('status', 'in', ['queued', 'sent', 'answered'])
    .groupBy(['accountId', 'agentId', 'lane'])
    .orderBy(({ fn }) => fn.min('seq'))
    .execute();
}

/**
 * Returns what is to be done in a lane: first the delivery whose turn was begun and has not ended, then those that wait,
 * oldest first.
 */
export async function listWaiting(
  db: Db,
  { agentId, lane }: Pick<BusyLane, 'agentId' | 'lane'>,
  limit: number,
): Promise<Delivery[]> {
  const { rows } = await waiting(db, { agentId, lane, limit });
  return rows.map(fromRow);
}

const waiting = prepared(
  (db, { agentId, lane, limit }: Pick<BusyLane, 'agentId' | 'lane'> & { readonly limit: number }) =>
    db
      .selectFrom('deliveries')
      .selectAll()
      .where('agentId', '=', agentId)
      .where('lane', '=', lane)
      .where('status', 'in', ['sent', 'answered', 'queued'])
      .orderBy(sql`status = 'queued'`)
      .orderBy('seq')
      .limit(limit),
);

/** Returns all deliveries of a turn, oldest first. */
export async function listTurn(db: Db, turnId: string): Promise<Delivery[]> {
  const rows = await db
    .selectFrom('deliveries')
    .selectAll()
    .where('turnId', '=', turnId)
    .orderBy('seq')
    .execute();
  return rows.map(fromRow);
}

/** Begins a turn: the first of these deliveries leads it, and the others are merged into it. */
export async function beginTurn(db: Db, ids: readonly [string, ...string[]], nowIso: string): Promise<void> {
  const [lead, ...others] = ids;
  if (others.length === 0) await beginAlone(db, { lead, nowIso });
  else await beginMerged(db, ids, nowIso);
}

/** The turn of one delivery, as nearly all are on calls. */
const beginAlone = prepared((db, { lead, nowIso }: { readonly lead: string; readonly nowIso: string }) =>
  db
    .updateTable('deliveries')
    .set({ turnId: lead, status: 'sent', startedAt: nowIso, updatedAt: nowIso })
    .where('id', '=', lead),
);

async function beginMerged(db: Db, ids: readonly [string, ...string[]], nowIso: string): Promise<void> {
  const [lead] = ids;
  await db
    .updateTable('deliveries')
    .set({
      turnId: lead,
      status: sql<DeliveryStatus>`iif(id = ${lead}, 'sent', 'merged')`,
      startedAt: nowIso,
      updatedAt: nowIso,
    })
    .where('id', 'in', ids)
    .execute();
}

/** Stores the payload that the model is shown. */
export async function setPayload(
  db: Db,
  deliveryId: string,
  payload: Readonly<Record<string, unknown>>,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ payload: JSON.stringify(payload) })
    .where('id', '=', deliveryId)
    .execute();
}

/** Counts one more attempt of a turn. Returns false if the turn is no longer there or has ended. */
export async function countAttempt(db: Db, turnId: string, provider: string): Promise<boolean> {
  const { numAffectedRows = 0n } = await oneMoreAttempt(db, { turnId, provider });
  return numAffectedRows > 0n;
}

const oneMoreAttempt = prepared(
  (db, { turnId, provider }: { readonly turnId: string; readonly provider: string }) =>
    db
      .updateTable('deliveries')
      .set({ attempts: sql<number>`attempts + 1`, provider })
      .where('id', '=', turnId)
      .where('status', '=', 'sent'),
);

/** What a model answered. */
export type StoredAnswer = Pick<Delivery, 'inputTokens' | 'outputTokens' | 'replyId'> &
  Partial<DeliveryFailure> & { readonly responseBody: string };

/** Stores the reply of a turn. Returns false if the turn is no longer there or has ended. */
export async function answerTurn(
  db: Db,
  turnId: string,
  answer: StoredAnswer,
  nowIso: string,
): Promise<boolean> {
  const { error = null, errorType = null, ...whole } = answer;
  const { numAffectedRows = 0n } = await storeAnswer(db, { ...whole, error, errorType, turnId, nowIso });
  return numAffectedRows > 0n;
}

type AnswerRow = Pick<
  Delivery,
  'inputTokens' | 'outputTokens' | 'replyId' | 'responseBody' | 'error' | 'errorType'
>;

const storeAnswer = prepared(
  (
    db,
    {
      turnId,
      inputTokens,
      outputTokens,
      replyId,
      responseBody,
      error,
      errorType,
      nowIso,
    }: AnswerRow & { readonly turnId: string; readonly nowIso: string },
  ) =>
    db
      .updateTable('deliveries')
      .set({
        ...{ inputTokens, outputTokens, replyId, responseBody, error, errorType },
        ...{ status: 'answered', answeredAt: nowIso, updatedAt: nowIso },
      })
      .where('id', '=', turnId)
      .where('status', '=', 'sent'),
);

/** Ends a turn whose actions have been carried out. */
export async function endTurn(db: Db, turnId: string, nowIso: string): Promise<void> {
  await deliver(db, { turnId, nowIso });
}

const deliver = prepared((db, { turnId, nowIso }: { readonly turnId: string; readonly nowIso: string }) =>
  db
    .updateTable('deliveries')
    .set({ status: 'delivered', updatedAt: nowIso })
    .where('id', '=', turnId)
    .where('status', '=', 'answered'),
);

/** Ends a turn without a reply: all of its deliveries have failed, so that each can be replayed. */
export async function failTurn(
  db: Db,
  turnId: string,
  { error, errorType }: DeliveryFailure,
  nowIso: string,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', error, errorType, updatedAt: nowIso })
    .where('turnId', '=', turnId)
    .where('status', 'in', ['sent', 'merged'])
    .execute();
}

/** Fails everything that waits in a lane. */
export async function failQueued(
  db: Db,
  { agentId, lane }: Pick<BusyLane, 'agentId' | 'lane'>,
  { error, errorType }: DeliveryFailure,
  nowIso: string,
): Promise<void> {
  await db
    .updateTable('deliveries')
    .set({ status: 'failed', error, errorType, updatedAt: nowIso })
    .where('agentId', '=', agentId)
    .where('lane', '=', lane)
    .where('status', '=', 'queued')
    .execute();
}
