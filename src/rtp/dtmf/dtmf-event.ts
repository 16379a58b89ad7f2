/** Digits in the order of their event codes (RFC 4733 section 3.2). */
const DIGITS = '0123456789*#ABCD';

/** Length of a telephone-event payload (RFC 4733 section 2.3). */
export const DTMF_PAYLOAD_BYTES = 4;

/** Returns the digit's event code, or −1. */
export function dtmfEvent(digit: string): number {
  return digit.length === 1 ? DIGITS.indexOf(digit.toUpperCase()) : -1;
}

export function dtmfDigit(event: number): string | null {
  return DIGITS[event] ?? null;
}
