import { GatewayError } from '../../base/errors.ts';

/** Limits per account. */
export const CAPS = {
  agents: 100,
  /**
   * Agent keys and settings keys together. A revoked key counts for a day; otherwise the table could grow without
   * limit.
   */
  keys: 1_000,
  /** Memberships of keys in agents. All of them are read whenever one changes. */
  keyPlaces: 10_000,
  bots: 100,
  /** People bound to the account over a shared login. */
  connections: 10_000,
  authorizations: 100,
  voicePresets: 100,
} as const;

/** Throws `cap_reached`, with the limit, when the account already has `most`. */
export function assertBelow(most: number, has: number, what: string): void {
  if (has >= most) throw new GatewayError('cap_reached', `An account may have at most ${most} ${what}`);
}
