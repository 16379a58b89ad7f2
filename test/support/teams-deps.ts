import { systemClock } from '../../src/base/time.ts';
import type { BotDeps } from '../../src/connectors/teams/teams-bot.ts';

/** For a connector that is not to do anything. */
export const IDLE_TEAMS: BotDeps = {
  clock: systemClock,
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
