/** DTMF in INFO: `application/dtmf-relay` (Signal=5, Duration=160) and the bare `application/dtmf`. */
export const DTMF_RELAY_TYPE = 'application/dtmf-relay';

export function dtmfRelayBody(digit: string): string {
  return `Signal=${digit}\r\nDuration=160\r\n`;
}

/** The digit in an INFO body; null when it holds none. */
export function digitInInfo(contentType: string, body: string): string | null {
  const type = contentType.split(';', 1)[0]!.trim().toLowerCase();
  const text =
    type === DTMF_RELAY_TYPE
      ? /^\s*Signal\s*=\s*(\S+)/im.exec(body)?.[1]
      : type === 'application/dtmf'
        ? body.trim()
        : '';
  const digit = SPELLED[text ?? ''] ?? text?.toUpperCase() ?? '';
  return /^[0-9*#A-D]$/.test(digit) ? digit : null;
}

/** Some senders give star and pound by their event numbers (RFC 4733 section 3.2). */
const SPELLED: Readonly<Record<string, string>> = { '10': '*', '11': '#' };
