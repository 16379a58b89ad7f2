/** DTMF in INFO: `application/dtmf-relay` (Signal=5, Duration=160) and the bare `application/dtmf`. */
export const DTMF_RELAY_TYPE = 'application/dtmf-relay';

/** The longest body of a digit has three lines. */
const MAX_BODY_CHARACTERS = 512;

export function dtmfRelayBody(digit: string): string {
  return `Signal=${digit}\r\nDuration=160\r\n`;
}

/** The digit in an INFO body; null when it holds none. */
export function digitInInfo(contentType: string, body: string): string | null {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  if (body.length > MAX_BODY_CHARACTERS) return null;
  const text = type === DTMF_RELAY_TYPE ? signalIn(body) : type === 'application/dtmf' ? body.trim() : '';
  const digit = SPELLED[text] ?? text.toUpperCase();
  return /^[0-9*#A-D]$/.test(digit) ? digit : null;
}

/** The value of the first `Signal` line; empty when there is none. */
function signalIn(body: string): string {
  for (const line of body.split(/[\r\n]/)) {
    const [name = '', value = ''] = line.split('=', 2);
    if (name.trim().toLowerCase() === 'signal') return value.trim();
  }
  return '';
}

/** Some senders give star and pound by their event numbers (RFC 4733 section 3.2). */
const SPELLED: Readonly<Record<string, string>> = { '10': '*', '11': '#' };
