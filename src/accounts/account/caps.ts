import { GatewayError } from '../../base/errors.ts';

/** How many of each an account may have. */
export const CAPS = {
  agents: 100,
  /** Agent keys and settings keys together. One that was revoked counts for a day, or the table would have no bound. */
  keys: 1_000,
  /** Agents that its keys are in, counted for each key: all of them are read whenever one changes. */
  keyPlaces: 10_000,
  bots: 100,
  /** People who are bound to it over a login that all accounts share. */
  connections: 10_000,
  authorizations: 100,
} as const;

/** Throws `cap_reached`, with the number, for one more than may be. */
export function assertBelow(most: number, has: number, what: string): void {
  if (has >= most) throw new GatewayError('cap_reached', `An account may have at most ${most} ${what}`);
}
