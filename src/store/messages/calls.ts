import type { Capability } from '../../base/platform.ts';
import type { Termination } from '../../base/termination.ts';
import { changeRows, type Db, type Row } from '../database/rows.ts';

/** A stored call. `capabilities` is null for calls of earlier versions. */
export type CallRow = Row<'calls'>;

/** A new call. */
export type NewCall = Omit<CallRow, 'answeredAt' | 'endedAt' | 'terminationResult' | 'terminationReason'> & {
  readonly capabilities: readonly Capability[];
};

/** Updates a live call. An ended call is not changed. */
export async function updateCall(
  db: Db,
  callId: string,
  change: Partial<Pick<CallRow, 'state' | 'answeredAt' | 'meetingUrl' | 'capabilities'>>,
): Promise<void> {
  await changeRows(db, 'calls', { callId, endedAt: null }, change);
}

/** Ends a live call. An ended call is not changed. */
export async function endCall(
  db: Db,
  callId: string,
  { termination: { result, reason }, ...end }: CallEnd,
): Promise<void> {
  const ended = { ...end, terminationResult: result, terminationReason: reason };
  await changeRows(db, 'calls', { callId, endedAt: null }, ended);
}

interface CallEnd extends Pick<CallRow, 'state'> {
  readonly endedAt: string;
  readonly termination: Termination;
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
