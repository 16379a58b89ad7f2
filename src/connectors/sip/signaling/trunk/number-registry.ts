import type { SipNumber } from '../../../contract/sip-accounts.ts';

/** Includes separators. */
const MAX_CHARACTERS = 64;

/**
 * The listed numbers (DIDs) of all accounts: E.164, national numbers, extensions. Ownership is not verified, and two
 * accounts may both have extension 1001, so a number is only looked up within the account whose trunk received the call.
 */
export class NumberRegistry {
  readonly #byDidId = new Map<string, SipNumber>();
  /** By account, then by number as it is listed. */
  readonly #byAccount = new Map<string, Map<string, SipNumber>>();

  put(number: SipNumber): void {
    this.remove(number.didId);
    this.#byDidId.set(number.didId, number);
    const numbers = this.#byAccount.get(number.accountId) ?? new Map<string, SipNumber>();
    this.#byAccount.set(number.accountId, numbers.set(number.number, number));
  }

  remove(didId: string): void {
    const number = this.#byDidId.get(didId);
    if (number === undefined) return;
    this.#byDidId.delete(didId);
    const numbers = this.#byAccount.get(number.accountId);
    numbers?.delete(number.number);
    if (numbers?.size === 0) this.#byAccount.delete(number.accountId);
  }

  /**
   * Finds the first of the account's numbers in `dialled`, which lists the most trusted first. Networks write the same
   * number in several ways: a number that is listed as dialled comes before one that is listed in another form.
   */
  find(dialled: readonly string[], accountId: string): SipNumber | null {
    const numbers = this.#byAccount.get(accountId);
    if (numbers === undefined) return null;
    for (const text of dialled) {
      const match = numbers.get(text) ?? numbers.get(toE164(text) ?? text);
      if (match !== undefined) return match;
    }
    return findInOtherForm(dialled, [...numbers.values()]);
  }

  /** Whether the account lists exactly this number. */
  lists(number: string, accountId: string): boolean {
    return this.#byAccount.get(accountId)?.has(number) === true;
  }

  /** Returns the account's number when it has exactly one. */
  onlyOf(accountId: string): SipNumber | null {
    const numbers = this.#byAccount.get(accountId);
    return numbers?.size === 1 ? numbers.values().next().value! : null;
  }
}

/**
 * Matches a number in national format (0123456789, 2125550123) with the same number in E.164, whichever of the two is
 * listed, if exactly one listed number fits. Extensions are too short for that: they match as they are listed only.
 */
function findInOtherForm(dialled: readonly string[], listed: readonly SipNumber[]): SipNumber | null {
  for (const text of dialled) {
    const matches = listed.filter(({ number }) => isSameNumber(text, number));
    if (matches.length === 1) return matches[0]!;
  }
  return null;
}

function isSameNumber(dialled: string, listed: string): boolean {
  return endsWithNational(listed, dialled) || endsWithNational(toE164(dialled) ?? dialled, listed);
}

function endsWithNational(number: string, other: string): boolean {
  const national = nationalDigits(other);
  return national !== null && number.endsWith(national);
}

/**
 * Converts a dialled or displayed number to E.164 with the plus. Separators are removed, and a leading 00 or 011
 * becomes the plus. Returns null when the text is not a number in international format (only its trunk can interpret a
 * national number).
 */
export function toE164(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  const digits = text.replace(/[\s().\-/]/g, '');
  if (/^\+[1-9]\d{2,14}$/.test(digits)) return digits;
  if (/^00[1-9]\d{2,14}$/.test(digits)) return `+${digits.slice(2)}`;
  if (/^011[1-9]\d{2,14}$/.test(digits)) return `+${digits.slice(3)}`;
  return /^[1-9]\d{6,14}$/.test(digits) ? `+${digits}` : null;
}

/**
 * Returns the digits of a number in national format without the trunk prefix 0; null when there are too few to be
 * unique.
 */
export function nationalDigits(text: string): string | null {
  if (text.length > MAX_CHARACTERS) return null;
  const digits = text.replace(/[\s().\-/]/g, '').replace(/^0+/, '');
  return /^\d{7,14}$/.test(digits) ? digits : null;
}
