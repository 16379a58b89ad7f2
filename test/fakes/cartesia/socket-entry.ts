import type { IncomingHttpHeaders } from 'node:http';
import type { UpgradeRefusal } from '../speech-sockets.ts';
import { CARTESIA_ERRORS, type CartesiaError } from './socket-errors.ts';

/** Returns why Cartesia does not accept a WebSocket. Null if it does. */
export function entryErrorOf(url: URL, headers: IncomingHttpHeaders, key: string): CartesiaError | null {
  // The parameter wins over the header.
  const version = url.searchParams.get('cartesia_version') ?? headers['cartesia-version'];
  if (!/^\d{4}-\d\d-\d\d$/.test(`${version}`)) return CARTESIA_ERRORS.noVersion;
  const given = headers['x-api-key'] ?? /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1];
  if (given === key) return null;
  // This fake repeats the key, as some vendors do.
  return { ...CARTESIA_ERRORS.badKey, message: `Invalid API key ${given}` };
}

/** Returns the HTTP answer that reports an error. */
export function refusalWith({ status_code, error_code, title, message }: CartesiaError): UpgradeRefusal {
  return { status: status_code, body: { error_code, title, message, request_id: 'req_1' } };
}
