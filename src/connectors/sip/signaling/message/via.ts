import { isIP } from 'node:net';
import { plainAddress } from '../transport/wire.ts';
import { hostInUri } from './sip-uri.ts';

/** The parts of a Via value that are used here (RFC 3261 section 20.42). */
export interface Via {
  readonly host: string;
  readonly port: number | null;
  readonly branch: string;
  readonly wantsRport: boolean;
  /** Source address of the message, when it differs from the host. */
  readonly received: string | null;
  /** In a response, the source address of our request as seen by the sender (RFC 3581 section 4); null when absent. */
  readonly seenFrom: { readonly host: string; readonly port: number } | null;
}

const VIA =
  /^SIP\s*\/\s*2\.0\s*\/\s*[a-z0-9-]+\s+(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?:\s*:\s*(\d{1,5}))?\s*((?:;.*)?)$/i;

export function parseVia(value: string): Via | null {
  const match = VIA.exec(value);
  if (match === null) return null;
  const parameters = match[3] ?? '';
  const branch = /;\s*branch\s*=\s*([^;\s]+)/i.exec(parameters)?.[1] ?? '';
  const port = match[2] === undefined ? null : Number(match[2]);
  return {
    host: match[1]!.replace(/^\[|\]$/g, ''),
    port,
    branch,
    wantsRport: /;\s*rport\s*(;|$)/i.test(parameters),
    received: receivedIn(parameters),
    seenFrom: seenFrom(parameters),
  };
}

function receivedIn(parameters: string): string | null {
  const text = /;\s*received\s*=\s*\[?([0-9a-f:.]+)/i.exec(parameters)?.[1] ?? '';
  return isIP(text) === 0 ? null : plainAddress(text);
}

function seenFrom(parameters: string): Via['seenFrom'] {
  const received = receivedIn(parameters);
  const port = Number(/;\s*rport\s*=\s*(\d{1,5})/i.exec(parameters)?.[1] ?? 0);
  return received === null || port === 0 || port > 65_535 ? null : { host: received, port };
}

/** Adds a request's real source address to its top Via (RFC 3261 section 18.2.1, RFC 3581 section 4). */
export function stampVia(value: string, via: Via, sourceHost: string, sourcePort: number): string {
  const differs = via.host !== sourceHost || via.wantsRport || isIP(via.host) === 0;
  const stamped = value
    .replace(/;\s*received\s*=[^;]*/gi, '')
    .replace(/;\s*rport\s*(?=;|$)/i, `;rport=${sourcePort}`);
  return differs ? `${stamped};received=${hostInUri(sourceHost)}` : stamped;
}

/** Returns the sent-by value, which distinguishes peers that use the same branch (RFC 3261 section 17.2.3). */
export function sentByOf({ host, port }: Via): string {
  return `${hostInUri(host)}:${port ?? ''}`.toLowerCase();
}
