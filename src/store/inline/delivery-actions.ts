import type { Selectable } from 'kysely';
import { prepared } from '../database/prepared.ts';
import type { Db } from '../database/tables.ts';
import type { ActionStatus, DeliveryActionsTable } from './inline-tables.ts';

/** What a reply asked for, and what has become of it. */
export interface StoredAction extends Omit<Selectable<DeliveryActionsTable>, 'detail'> {
  readonly detail: Readonly<Record<string, unknown>>;
}

export type NewAction = Pick<StoredAction, 'deliveryId' | 'position' | 'accountId' | 'kind' | 'detail'>;

/**
 * Adds actions that are still to be carried out, and returns their number. One that is there already, since it was carried
 * out early, stays.
 */
export async function planActions(db: Db, actions: readonly NewAction[], nowIso: string): Promise<number> {
  let planned = 0n;
  for (const action of actions)
    planned += (await plan(db, rowOf(action, 'planned', nowIso))).numAffectedRows ?? 0n;
  return Number(planned);
}

/** Adds an action that is about to be carried out before the reply is complete. */
export async function insertClaimed(db: Db, action: NewAction, nowIso: string): Promise<void> {
  await insert(db, rowOf(action, 'claimed', nowIso));
}

const insert = prepared((db, row: Selectable<DeliveryActionsTable>) => insertOf(db, row));

const plan = prepared((db, row: Selectable<DeliveryActionsTable>) =>
  insertOf(db, row).onConflict((conflict) => conflict.doNothing()),
);

function insertOf(db: Db, row: Selectable<DeliveryActionsTable>) {
  const { deliveryId, position, accountId, kind, detail, status, reason, messageId, createdAt, updatedAt } =
    row;
  const whole = {
    deliveryId,
    position,
    accountId,
    kind,
    detail,
    status,
    reason,
    messageId,
    createdAt,
    updatedAt,
  };
  return db.insertInto('deliveryActions').values(whole);
}

function rowOf(action: NewAction, status: ActionStatus, nowIso: string) {
  const detail = JSON.stringify(action.detail);
  return { ...action, detail, status, reason: null, messageId: null, createdAt: nowIso, updatedAt: nowIso };
}

/** Which action of which turn. */
export type ActionRef = Pick<StoredAction, 'deliveryId' | 'position'>;

/** Claims an action before it is carried out. Returns false if it is not there or has been claimed before. */
export async function claimAction(
  db: Db,
  { deliveryId, position }: ActionRef,
  nowIso: string,
): Promise<boolean> {
  const { numAffectedRows = 0n } = await claim(db, { deliveryId, position, updatedAt: nowIso });
  return numAffectedRows > 0n;
}

type Change = Pick<StoredAction, 'deliveryId' | 'position' | 'updatedAt'>;

const claim = prepared((db, { deliveryId, position, updatedAt }: Change) =>
  db
    .updateTable('deliveryActions')
    .set({ status: 'claimed', updatedAt })
    .where('deliveryId', '=', deliveryId)
    .where('position', '=', position)
    .where('status', '=', 'planned'),
);

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
  await end(db, { deliveryId, position, status, reason, updatedAt: nowIso });
}

const end = prepared((db, { deliveryId, position, status, reason, updatedAt }: Change & ActionEnd) =>
  db
    .updateTable('deliveryActions')
    .set({ status, reason, updatedAt })
    .where('deliveryId', '=', deliveryId)
    .where('position', '=', position),
);

/** Notes the message that an action writes. */
export async function noteMessage(
  db: Db,
  { deliveryId, position }: ActionRef,
  messageId: string,
): Promise<void> {
  await db
    .updateTable('deliveryActions')
    .set({ messageId })
    .where('deliveryId', '=', deliveryId)
    .where('position', '=', position)
    .execute();
}

/** Returns the message that an action has written. Null: none. */
export async function messageOfAction(db: Db, { deliveryId, position }: ActionRef): Promise<string | null> {
  const row = await db
    .selectFrom('deliveryActions')
    .select('messageId')
    .where('deliveryId', '=', deliveryId)
    .where('position', '=', position)
    .executeTakeFirst();
  return row?.messageId ?? null;
}

/** Returns the actions of a turn in order. */
export async function listActions(db: Db, deliveryId: string): Promise<StoredAction[]> {
  const { rows } = await all(db, { deliveryId });
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
}

const all = prepared((db, { deliveryId }: Pick<StoredAction, 'deliveryId'>) =>
  db.selectFrom('deliveryActions').selectAll().where('deliveryId', '=', deliveryId).orderBy('position'),
);

/** Marks every action of a turn that was claimed and not finished: it may have been carried out. */
export async function abandonClaimed(
  db: Db,
  deliveryId: string,
  reason: string,
  nowIso: string,
): Promise<void> {
  await db
    .updateTable('deliveryActions')
    .set({ status: 'unknown', reason, updatedAt: nowIso })
    .where('deliveryId', '=', deliveryId)
    .where('status', '=', 'claimed')
    .execute();
}

/** Adds what a reply asked for in vain. */
export async function noteRefused(
  db: Db,
  refused: readonly { readonly action: NewAction; readonly reason: string }[],
  nowIso: string,
): Promise<void> {
  if (refused.length === 0) return;
  await db
    .insertInto('deliveryActions')
    .values(refused.map(({ action, reason }) => ({ ...rowOf(action, 'refused', nowIso), reason })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Returns what the last answered turn of a lane asked for and did not get. */
export async function listUndone(db: Db, agentId: string, lane: string): Promise<StoredAction[]> {
  const { rows } = await undone(db, { agentId, lane });
  return rows.map((row) => ({ ...row, detail: JSON.parse(row.detail) }));
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
