import type { SipNumber } from '../../contract/sip-accounts.ts';
import { nationalDigits, toE164 } from './phone-number.ts';

/** The listed numbers (DIDs) of all accounts. */
export class NumberBook {
  readonly #byDidId = new Map<string, SipNumber>();
  /** By E.164; several accounts may list the same number, and then the trunk decides. */
  readonly #byNumber = new Map<string, SipNumber[]>();

  put(number: SipNumber): void {
    this.remove(number.didId);
    this.#byDidId.set(number.didId, number);
    const key = toE164(number.number) ?? number.number;
    this.#byNumber.set(key, [...(this.#byNumber.get(key) ?? []), number]);
  }

  remove(didId: string): void {
    const number = this.#byDidId.get(didId);
    if (number === undefined) return;
    this.#byDidId.delete(didId);
    const key = toE164(number.number) ?? number.number;
    const others = (this.#byNumber.get(key) ?? []).filter((each) => each.didId !== didId);
    if (others.length > 0) this.#byNumber.set(key, others);
    else this.#byNumber.delete(key);
  }

  /** The first listed number among `dialled` (most trusted first) that belongs to one of the accounts. */
  find(dialled: readonly string[], accountIds: ReadonlySet<string>): SipNumber | null {
    for (const text of dialled) {
      const candidates = this.#byNumber.get(toE164(text) ?? text) ?? [];
      const match = candidates.find((number) => accountIds.has(number.accountId));
      if (match !== undefined) return match;
    }
    return this.#findNational(dialled, accountIds);
  }

  /** The account's number, when it lists just one. */
  onlyOf(accountId: string): SipNumber | null {
    const numbers = [...this.#byDidId.values()].filter((number) => number.accountId === accountId);
    return numbers.length === 1 ? numbers[0]! : null;
  }

  /** Trunks that speak in national form (0123456789, 2125550123): taken when it fits one listed number only. */
  #findNational(dialled: readonly string[], accountIds: ReadonlySet<string>): SipNumber | null {
    for (const text of dialled) {
      const national = nationalDigits(text);
      if (national === null) continue;
      const matches = [...this.#byDidId.values()].filter(
        (number) => accountIds.has(number.accountId) && number.number.endsWith(national),
      );
      if (matches.length === 1) return matches[0]!;
    }
    return null;
  }
}
