import { TooManyAttempts } from '../base/errors.ts';
import { FairShare } from '../base/fair-share.ts';
import { siteOf } from '../base/networks.ts';
import type { Clock } from '../base/time.ts';
import type { AuthorizationDomain } from './authorization-domain.ts';

/** Clients stored at once, and for how long each counts: 20 a second, as each takes about a millisecond of the database. */
const AT_ONCE = 10;
const COUNTS_MS = 500;
const MOST_WAITING = 40;
/** Those who wait have their turn within 2 s. */
const WITHIN_MS = 5_000;
const COME_AGAIN_S = 5;

/** The turns in which clients are registered. Strangers share them by network. */
export function registrationTurns(clock: Clock): FairShare {
  return new FairShare({ clock, total: AT_ONCE, each: AT_ONCE, mostWaiting: MOST_WAITING });
}

/** Resolves when a client from this IP address may be stored. Throws TooManyAttempts. */
export async function registrationTurn(
  { registrations, clock }: Pick<AuthorizationDomain, 'registrations' | 'clock'>,
  ip: string,
): Promise<void> {
  const release = await registrations.take(siteOf(ip), WITHIN_MS);
  if (release === null) throw new TooManyAttempts(COME_AGAIN_S);
  clock.after(COUNTS_MS, release);
}
