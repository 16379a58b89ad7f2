import type { Termination } from '../../base/termination.ts';
import type { Db } from '../database/tables.ts';
import type { CallRow, CallState } from './message-tables.ts';

/** A new call. */
export type NewCall = Omit<CallRow, 'answeredAt' | 'endedAt' | 'terminationResult' | 'terminationReason'>;

export async function insertCall(db: Db, call: NewCall): Promise<void> {
  await db.insertInto('calls').values(call).execute();
}

/** Updates the state of a live call. An ended call is not changed. */
export async function updateCallState(
  db: Db,
  callId: string,
  change: { readonly state: CallState; readonly answeredAt?: string },
): Promise<void> {
  await db
    .updateTable('calls')
    .set(change)
    .where('callId', '=', callId)
    .where('endedAt', 'is', null)
    .execute();
}

/** Ends a live call. An ended call is not changed. */
export async function endCall(
  db: Db,
  callId: string,
  end: { readonly state: CallState; readonly endedAt: string; readonly termination: Termination },
): Promise<void> {
  await db
    .updateTable('calls')
    .set({
      state: end.state,
      endedAt: end.endedAt,
      terminationResult: end.termination.result,
      terminationReason: end.termination.reason,
    })
    .where('callId', '=', callId)
    .where('endedAt', 'is', null)
    .execute();
}

export async function findCall(db: Db, callId: string): Promise<CallRow | undefined> {
  return await db.selectFrom('calls').selectAll().where('callId', '=', callId).executeTakeFirst();
}

/** Returns the live calls, oldest first. */
export async function listLiveCalls(db: Db, accountId: string): Promise<CallRow[]> {
  return await db
    .selectFrom('calls')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .execute();
}

/** Ends all live calls after a restart, since they lost their bridge. Returns the updated calls. */
export async function disconnectLiveCalls(db: Db, nowIso: string): Promise<CallRow[]> {
  return await db
    .updateTable('calls')
    .set({
      state: 'disconnected',
      endedAt: nowIso,
      terminationResult: 'disconnected',
      terminationReason: 'the gateway was restarted',
    })
    .where('endedAt', 'is', null)
    .returningAll()
    .execute();
}
