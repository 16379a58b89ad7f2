import { systemClock } from '../../src/base/time.ts';
import type { TeamsDeps } from '../../src/connectors/teams/teams-connector.ts';
import { MemoryRecords } from './memory-records.ts';
import { NO_SIP } from './no-sip.ts';

/** For a connector that is not to do anything. */
export const IDLE_TEAMS: TeamsDeps = {
  clock: systemClock,
  sip: NO_SIP,
  log: () => undefined,
  observer: { count: () => undefined, log: () => undefined },
  records: new MemoryRecords(),
};
