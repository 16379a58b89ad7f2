import { prepared } from '../database/prepared.ts';
import { changeRows, type Db, insertNewRow, insertRow, type Row } from '../database/rows.ts';
import type { ActionStatus } from './inline-tables.ts';

/** What a reply asked for, and what has become of it. */
export type StoredAction = Row<'deliveryActions'>;

export type NewAction = Pick<StoredAction, 'deliveryId' | 'position' | 'accountId' | 'kind' | 'detail'>;

/**
 * Adds actions that are still to be carried out, and returns their number. One that is there already, since it was carried
 * out early, stays.
 */
export async function planActions(db: Db, actions: readonly NewAction[], nowIso: string): Promise<number> {
  let planned = 0;
  for (const action of actions)
    if (await insertNewRow(db, 'deliveryActions', rowOf(action, 'planned', nowIso))) planned++;
  return planned;
}

/** Adds an action that is about to be carried out before the reply is complete. */
export async function insertClaimed(db: Db, action: NewAction, nowIso: string): Promise<void> {
  await insertRow(db, 'deliveryActions', rowOf(action, 'claimed', nowIso));
}

/** Adds what a reply asked for in vain. */
export async function noteRefused(
  db: Db,
  refused: readonly { readonly action: NewAction; readonly reason: string }[],
  nowIso: string,
): Promise<void> {
  for (const { action, reason } of refused)
    await insertNewRow(db, 'deliveryActions', { ...rowOf(action, 'refused', nowIso), reason });
}

function rowOf(action: NewAction, status: ActionStatus, nowIso: string): StoredAction {
  return { ...action, status, reason: null, messageId: null, createdAt: nowIso, updatedAt: nowIso };
}

/** Which action of which turn. */
export type ActionRef = Pick<StoredAction, 'deliveryId' | 'position'>;

/** Claims an action before it is carried out. Returns false if it is not there or has been claimed before. */
export async function claimAction(
  db: Db,
  { deliveryId, position }: ActionRef,
  nowIso: string,
): Promise<boolean> {
  const planned = { deliveryId, position, status: 'planned' } as const;
  return await changeRows(db, 'deliveryActions', planned, { status: 'claimed', updatedAt: nowIso });
}

/** What has become of an action. `reason` says why it was not carried out. */
export interface ActionEnd {
  readonly status: Exclude<ActionStatus, 'planned' | 'claimed'>;
  readonly reason: string | null;
}

export async function endAction(
  db: Db,
  { deliveryId, position }: ActionRef,
  { status, reason }: ActionEnd,
  nowIso: string,
): Promise<void> {
  await changeRows(db, 'deliveryActions', { deliveryId, position }, { status, reason, updatedAt: nowIso });
}

/** Marks every action of a turn that was claimed and not finished: it may have been carried out. */
export async function abandonClaimed(
  db: Db,
  deliveryId: string,
  reason: string,
  nowIso: string,
): Promise<void> {
  const unknown = { status: 'unknown', reason, updatedAt: nowIso } as const;
  await changeRows(db, 'deliveryActions', { deliveryId, status: 'claimed' }, unknown);
}

/** Returns what the last answered turn of a lane asked for and did not get. */
export async function listUndone(db: Db, agentId: string, lane: string): Promise<StoredAction[]> {
  return (await undone(db, { agentId, lane })).rows;
}

const undone = prepared((db, { agentId, lane }: { readonly agentId: string; readonly lane: string }) =>
  db
    .selectFrom('deliveryActions')
    .selectAll()
    .where('deliveryId', '=', (query) =>
      query
        .selectFrom('deliveries')
        .select('id')
        .where('agentId', '=', agentId)
        .where('lane', '=', lane)
        .where('status', '=', 'delivered')
        .orderBy('seq', 'desc')
        .limit(1),
    )
    .where('status', 'in', ['refused', 'failed', 'unknown'])
    .orderBy('position'),
);
