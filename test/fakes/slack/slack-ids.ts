import { randomBytes, randomInt } from 'node:crypto';

const CHARACTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ';
const LENGTH = 10;

/** An id as Slack makes them: a letter for its kind, then capitals and digits. */
export function newId(kind: 'A' | 'B' | 'C' | 'D' | 'E' | 'Ev' | 'F' | 'T' | 'U'): string {
  const rest = Array.from({ length: LENGTH }, () => CHARACTERS[randomInt(CHARACTERS.length)]);
  return `${kind}0${rest.join('')}`;
}

export function newBotToken(): string {
  return `xoxb-${randomInt(1e12)}-${randomInt(1e12)}-${randomBytes(18).toString('base64url').replace(/[-_]/g, 'x')}`;
}

/** For Socket Mode. */
export function newAppToken(appId: string): string {
  return `xapp-1-${appId}-${randomInt(1e12)}-${randomBytes(32).toString('hex')}`;
}

/** A signing secret, or the secret of a client. */
export function newSecret(): string {
  return randomBytes(16).toString('hex');
}

let lastMicros = 0;

/** A message's `ts`: seconds with six digits, each later than the one before. */
export function newTs(): string {
  lastMicros = Math.max(lastMicros + 1, Date.now() * 1_000);
  return `${Math.floor(lastMicros / 1e6)}.${`${lastMicros % 1e6}`.padStart(6, '0')}`;
}
