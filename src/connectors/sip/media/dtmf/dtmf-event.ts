/** Digits in the order of their event codes (RFC 4733 section 3.2). */
const DIGITS = '0123456789*#ABCD';

/** Length of a telephone-event payload (RFC 4733 section 2.3). */
export const DTMF_PAYLOAD_BYTES = 4;
const END_FLAG = 0x80;
/** Tone power in dB below 0 dBm0, the usual value of phones. */
const VOLUME = 10;

/** Returns the digit's event code, or −1. */
export function dtmfEvent(digit: string): number {
  return digit.length === 1 ? DIGITS.indexOf(digit.toUpperCase()) : -1;
}

export function dtmfDigit(event: number): string | null {
  return DIGITS[event] ?? null;
}

interface DtmfEvent {
  readonly event: number;
  readonly isEnd: boolean;
  readonly durationSamples: number;
}

export function writeDtmfPayload(
  out: Uint8Array,
  at: number,
  { event, isEnd, durationSamples }: DtmfEvent,
): void {
  out[at] = event;
  out[at + 1] = (isEnd ? END_FLAG : 0) | VOLUME;
  out[at + 2] = durationSamples >> 8;
  out[at + 3] = durationSamples;
}
