import type { IncomingMessage } from 'node:http';
import { CARTESIA_ERRORS, type CartesiaError } from './socket-errors.ts';

/** Returns why Cartesia does not accept a WebSocket. Null if it does. */
export function refusalOf({ headers, url = '' }: IncomingMessage, key: string): CartesiaError | null {
  const query = new URL(url, 'http://cartesia').searchParams;
  // The parameter wins over the header.
  const version = query.get('cartesia_version') ?? headers['cartesia-version'];
  if (!/^\d{4}-\d\d-\d\d$/.test(`${version}`)) return CARTESIA_ERRORS.noVersion;
  const given = headers['x-api-key'] ?? /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (given === key) return null;
  // This fake repeats the key, as some vendors do.
  return { ...CARTESIA_ERRORS.badKey, message: `Invalid API key ${given}` };
}
