import { sql } from 'kysely';
import { prepared } from '../database/prepared.ts';
import { changeRows, type Db, listRows } from '../database/rows.ts';
import type { Delivery, DeliveryFailure } from './deliveries.ts';
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
  return (await waiting(db, { agentId, lane, limit })).rows;
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
  return await listRows(db, 'deliveries', { turnId }, ['seq']);
}

/** Begins a turn: the first of these deliveries leads it, and the others are merged into it. */
export async function beginTurn(db: Db, ids: readonly [string, ...string[]], nowIso: string): Promise<void> {
  const [lead, ...others] = ids;
  const begun = { turnId: lead, startedAt: nowIso, updatedAt: nowIso };
  // Nearly all turns on calls are of one delivery.
  if (others.length === 0) await changeRows(db, 'deliveries', { id: lead }, { ...begun, status: 'sent' });
  else
    await db
      .updateTable('deliveries')
      .set({ ...begun, status: sql<DeliveryStatus>`iif(id = ${lead}, 'sent', 'merged')` })
      .where('id', 'in', ids)
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
  const { inputTokens, outputTokens, replyId, responseBody, error = null, errorType = null } = answer;
  const answered = { status: 'answered', answeredAt: nowIso, updatedAt: nowIso } as const;
  const reply = { inputTokens, outputTokens, replyId, responseBody, error, errorType, ...answered };
  return await changeRows(db, 'deliveries', { id: turnId, status: 'sent' }, reply);
}

/** Ends a turn whose actions have been carried out. */
export async function endTurn(db: Db, turnId: string, nowIso: string): Promise<void> {
  const ended = { status: 'delivered', updatedAt: nowIso } as const;
  await changeRows(db, 'deliveries', { id: turnId, status: 'answered' }, ended);
}

/** Ends a turn without a reply: all of its deliveries have failed, so that each can be replayed. */
export async function failTurn(
  db: Db,
  turnId: string,
  { error, errorType }: DeliveryFailure,
  nowIso: string,
): Promise<void> {
  const failed = { status: 'failed', error, errorType, updatedAt: nowIso } as const;
  await changeRows(db, 'deliveries', { turnId, status: ['sent', 'merged'] }, failed);
}

/** Fails everything that waits in a lane. */
export async function failQueued(
  db: Db,
  { agentId, lane }: Pick<BusyLane, 'agentId' | 'lane'>,
  { error, errorType }: DeliveryFailure,
  nowIso: string,
): Promise<void> {
  const failed = { status: 'failed', error, errorType, updatedAt: nowIso } as const;
  await changeRows(db, 'deliveries', { agentId, lane, status: 'queued' }, failed);
}
