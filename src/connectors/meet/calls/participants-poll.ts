import type { Clock } from '../../../base/time.ts';
import { pause } from '../../../base/waits.ts';
import type { Participant } from '../../contract/call-leg.ts';
import type { MeetApi, MeetPerson } from '../api/meet-api.ts';

const INTERVAL_MS = 10_000;

export interface Polled {
  readonly api: MeetApi;
  readonly clock: Clock;
  readonly connectionId: string;
  readonly spaceId: string;
}

/**
 * Tells who takes part, every ten seconds until `signal` aborts: Meet tells only when it is asked. An answer that fails is
 * left out, because the call does not depend on it.
 */
export async function pollParticipants(
  { api, clock, connectionId, spaceId }: Polled,
  told: (list: readonly Participant[]) => void,
  signal: AbortSignal,
): Promise<void> {
  let conference: string | undefined;
  while (!signal.aborted) {
    try {
      // A conference begins when the first one joins, which may be us.
      conference ??= (await api.space(connectionId, spaceId, signal)).activeConference?.conferenceRecord;
      if (conference !== undefined) {
        const list = await api.participants(connectionId, conference, signal);
        if (!signal.aborted) told(withoutAgent(list));
      }
    } catch {
      conference = undefined;
    }
    await pause(clock, INTERVAL_MS, signal);
  }
}

/** The agent is a phone. Of several, nobody tells which one. */
function withoutAgent(list: readonly MeetPerson[]): Participant[] {
  const isOnlyPhone = list.filter(({ isPhone }) => isPhone).length === 1;
  return list.filter(({ isPhone }) => !(isPhone && isOnlyPhone)).map(({ id, name }) => ({ id, name }));
}
