import { systemClock } from '../../src/base/time.ts';
import type { TeamsDeps } from '../../src/connectors/teams/teams-connector.ts';
import { NO_SIP } from './no-sip.ts';

/** For a connector that is not to do anything. */
export const IDLE_TEAMS: TeamsDeps = {
  clock: systemClock,
  sip: NO_SIP,
  log: () => undefined,
  observer: { count: () => undefined, log: () => undefined },
  records: {
    reference: async () => null,
    putReference: async () => undefined,
    prune: async () => undefined,
    offer: async () => null,
    putOffer: async () => undefined,
    deleteOffer: async () => undefined,
  },
};
