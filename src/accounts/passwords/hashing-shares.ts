import { TooManyAttempts } from '../../base/errors.ts';
import { FairShare } from '../../base/fair-share.ts';
import { siteOf } from '../../base/networks.ts';
import type { Clock } from '../../base/time.ts';
import { JOB_THREADS } from '../../jobs/jobs.ts';

/** About a second of hashing. */
const MOST_WAITING = 32 * JOB_THREADS;
const COME_AGAIN_S = 5;
/** Far more than a second, because threads for jobs give way to calls. */
const WAIT = { withinMs: 5_000, refusal: () => new TooManyAttempts(COME_AGAIN_S) };

/** Whose share of the hashing a password takes. */
export interface HashingOwner {
  readonly share: keyof HashingShares;
  readonly name: string;
}

/** Anybody, from an IP address. Strangers share by network, as one of them may have many addresses. */
export function strangerAt(address: string): HashingOwner {
  return { share: 'strangers', name: siteOf(address) };
}

/** Who is signed in, brings a link of a mail, or has a browser that the account knows. */
export function personOf(accountId: string): HashingOwner {
  return { share: 'people', name: accountId };
}

/** The threads that hash passwords. Strangers and people have threads of their own, so neither waits for the other. */
export interface HashingShares {
  readonly strangers: FairShare;
  readonly people: FairShare;
}

export function newHashingShares(clock: Clock): HashingShares {
  const options = { clock, total: JOB_THREADS, each: JOB_THREADS, mostWaiting: MOST_WAITING };
  return { strangers: new FairShare(options), people: new FairShare(options) };
}

/** Hashes in the owner's turn. Throws TooManyAttempts when it does not come in time, or too many wait. */
export async function hashInTurn<T>(
  shares: HashingShares,
  { share, name }: HashingOwner,
  hash: () => Promise<T>,
): Promise<T> {
  return await shares[share].run(name, WAIT, hash);
}
