import type { Selectable } from 'kysely';
import type { Capability } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import type { Db } from '../database/tables.ts';
import type { CallRow, CallState, CallsTable } from './message-tables.ts';

/** A new call. */
export interface NewCall
  extends Omit<CallRow, 'answeredAt' | 'endedAt' | 'terminationResult' | 'terminationReason'> {
  readonly capabilities: readonly Capability[];
}

export async function insertCall(db: Db, call: NewCall): Promise<void> {
  await db
    .insertInto('calls')
    .values({ ...call, capabilities: JSON.stringify(call.capabilities) })
    .execute();
}

/** Changes of a live call. */
interface CallChange {
  readonly state?: CallState;
  readonly answeredAt?: string;
  readonly meetingUrl?: string;
  readonly capabilities?: readonly Capability[];
}

/** Updates a live call. An ended call is not changed. */
export async function updateCall(
  db: Db,
  callId: string,
  { capabilities, ...change }: CallChange,
): Promise<void> {
  await db
    .updateTable('calls')
    .set({ ...change, ...(capabilities && { capabilities: JSON.stringify(capabilities) }) })
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
  const row = await db.selectFrom('calls').selectAll().where('callId', '=', callId).executeTakeFirst();
  return row && callRow(row);
}

/** Returns the live calls, oldest first. */
export async function listLiveCalls(db: Db, accountId: string): Promise<CallRow[]> {
  const rows = await db
    .selectFrom('calls')
    .selectAll()
    .where('accountId', '=', accountId)
    .where('endedAt', 'is', null)
    .orderBy('createdAt')
    .execute();
  return rows.map(callRow);
}

/** Ends all live calls after a restart, since they lost their bridge. Returns the updated calls. */
export async function disconnectLiveCalls(db: Db, nowIso: string): Promise<CallRow[]> {
  const rows = await db
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
  return rows.map(callRow);
}

function callRow({ capabilities, ...row }: Selectable<CallsTable>): CallRow {
  return { ...row, capabilities: capabilities === null ? null : JSON.parse(capabilities) };
}
