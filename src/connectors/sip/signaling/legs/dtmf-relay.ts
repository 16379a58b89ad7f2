/** Content types of DTMF in INFO: `application/dtmf-relay` (Signal=5, Duration=160) and the bare `application/dtmf`. */
export const DTMF_RELAY_TYPE = 'application/dtmf-relay';

/** Well above the size of a digit's body, which has at most three lines. */
const MAX_BODY_CHARACTERS = 512;

export function dtmfRelayBody(digit: string): string {
  return `Signal=${digit}\r\nDuration=160\r\n`;
}

/** Returns the digit in an INFO body; null when there is none. */
export function digitInInfo(contentType: string, body: string): string | null {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (body.length > MAX_BODY_CHARACTERS) return null;
  const text = type === DTMF_RELAY_TYPE ? signalIn(body) : type === 'application/dtmf' ? body.trim() : '';
  const digit = SPELLED[text] ?? text.toUpperCase();
  return /^[0-9*#A-D]$/.test(digit) ? digit : null;
}

/** Returns the value of the first `Signal` line; empty when there is none. */
function signalIn(body: string): string {
  for (const line of body.split(/[\r\n]/)) {
    const [name = '', value = ''] = line.split('=', 2);
    if (name.trim().toLowerCase() === 'signal') return value.trim();
  }
  return '';
}

/** Some senders encode star and pound as their event numbers (RFC 4733 section 3.2). */
const SPELLED: Readonly<Record<string, string>> = { '10': '*', '11': '#' };
