import type { SipNumber } from '../../../contract/sip-accounts.ts';
import { nationalDigits, toE164 } from '../legs/phone-number.ts';

/**
 * The listed numbers (DIDs) of all accounts. Ownership of numbers is not verified, so a number is only looked up within
 * the account whose trunk received the call.
 */
export class NumberRegistry {
  readonly #byDidId = new Map<string, SipNumber>();
  /** By account, then by E.164. */
  readonly #byAccount = new Map<string, Map<string, SipNumber>>();

  put(number: SipNumber): void {
    this.remove(number.didId);
    this.#byDidId.set(number.didId, number);
    const numbers = this.#byAccount.get(number.accountId) ?? new Map<string, SipNumber>();
    this.#byAccount.set(number.accountId, numbers.set(keyOf(number.number), number));
  }

  remove(didId: string): void {
    const number = this.#byDidId.get(didId);
    if (number === undefined) return;
    this.#byDidId.delete(didId);
    const numbers = this.#byAccount.get(number.accountId);
    numbers?.delete(keyOf(number.number));
    if (numbers?.size === 0) this.#byAccount.delete(number.accountId);
  }

  /** Finds the first of the account's numbers in `dialled`, which lists the most trusted first. */
  find(dialled: readonly string[], accountId: string): SipNumber | null {
    const numbers = this.#byAccount.get(accountId);
    if (numbers === undefined) return null;
    for (const text of dialled) {
      const match = numbers.get(keyOf(text));
      if (match !== undefined) return match;
    }
    return findNational(dialled, [...numbers.values()]);
  }

  /** Returns the account's number when it has exactly one. */
  onlyOf(accountId: string): SipNumber | null {
    const numbers = this.#byAccount.get(accountId);
    return numbers?.size === 1 ? numbers.values().next().value! : null;
  }
}

function keyOf(text: string): string {
  return toE164(text) ?? text;
}

/** Matches numbers in national format (0123456789, 2125550123), if they fit exactly one listed number. */
function findNational(dialled: readonly string[], listed: readonly SipNumber[]): SipNumber | null {
  for (const text of dialled) {
    const national = nationalDigits(text);
    if (national === null) continue;
    const matches = listed.filter(({ number }) => number.endsWith(national));
    if (matches.length === 1) return matches[0]!;
  }
  return null;
}
