import type { Gateway } from './gateway.ts';
import { readGatewayRows } from './gateway-database.ts';
import { waitFor } from './wait-for.ts';

/** What stays of a call. */
export interface EndedCall {
  readonly state: string;
  readonly result: string;
  readonly reason: string;
}

/** Waits until the API does not know a call any more, and reads its record. */
export async function endedCall(gateway: Gateway, callId: string, deadlineMs?: number): Promise<EndedCall> {
  const record = () =>
    readGatewayRows<EndedCall>(
      gateway.dataFolder,
      `select state, termination_result as result, termination_reason as reason from calls
       where call_id = ? and ended_at is not null`,
      callId,
    )[0];
  return waitFor(`the record of call ${callId}`, record, deadlineMs);
}
