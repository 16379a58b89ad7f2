import { createHmac, randomBytes } from 'node:crypto';
import { LimitedMap } from '../../../base/limited-map.ts';
import { isSameSecret } from '../../../base/tokens.ts';

/** Headers of a signature. Both sides sign the random alone, neither the body nor the time. */
export const ADDON_RANDOM = 'x-maquisard-random';
export const ADDON_SIGNATURE = 'x-maquisard-signature';

const RANDOM = /^[\w-]{16,128}$/;
const RANDOM_BYTES = 16;

/** A header of a request by its lower-case name; '' when absent. */
type Header = (name: string) => string;

/** Returns the headers that tell an addon that we know its secret. */
export function addonSignature(apiSecret: string): Readonly<Record<string, string>> {
  const random = randomBytes(RANDOM_BYTES).toString('hex');
  return { [ADDON_RANDOM]: random, [ADDON_SIGNATURE]: signatureOf(apiSecret, random) };
}

/** Whether a post comes from whoever knows the secret; or repeats one that did. */
export function isSignedByAddon(apiSecret: string, header: Header): boolean {
  const random = header(ADDON_RANDOM);
  return RANDOM.test(random) && isSameSecret(header(ADDON_SIGNATURE), signatureOf(apiSecret, random));
}

function signatureOf(apiSecret: string, random: string): string {
  return createHmac('sha256', apiSecret).update(random).digest('hex');
}

/** Secrets that are remembered: those of the Nextclouds that posted last. */
const MAX_SECRETS = 1_000;
/** Posts remembered of each. */
const MAX_RANDOMS = 500;

/**
 * The randoms of posts whose signature was right, so that one that is repeated is noticed: at least the last 250 of each of
 * the last 500 Nextclouds.
 */
export class ReplayMemory {
  readonly #seen = new LimitedMap<LimitedMap<true>>(MAX_SECRETS);

  /** Notes a post that `isSignedByAddon`. Returns false when its random was seen before. */
  isFirst(apiSecret: string, header: Header): boolean {
    const random = header(ADDON_RANDOM);
    const seen = this.#seen.get(apiSecret) ?? new LimitedMap<true>(MAX_RANDOMS);
    this.#seen.set(apiSecret, seen);
    if (seen.get(random)) return false;
    seen.set(random, true);
    return true;
  }
}
