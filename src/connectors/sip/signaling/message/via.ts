import { isIP } from 'node:net';
import { plainAddress } from '../transport/wire.ts';
import { hostInUri } from './sip-uri.ts';

/** The parts of a Via value that matter to us (RFC 3261 section 20.42). */
export interface Via {
  readonly transport: string;
  readonly host: string;
  readonly port: number | null;
  readonly branch: string;
  readonly wantsRport: boolean;
  /** Where the message was seen to come from, when that is not its host. */
  readonly received: string | null;
  /** In a response: where its sender saw our request come from (RFC 3581 section 4); null when it does not say. */
  readonly seenFrom: { readonly host: string; readonly port: number } | null;
}

const VIA =
  /^SIP\s*\/\s*2\.0\s*\/\s*([a-z0-9-]+)\s+(\[[0-9a-f:.]+\]|[a-z0-9_.-]+)(?:\s*:\s*(\d{1,5}))?\s*((?:;.*)?)$/i;

export function parseVia(value: string): Via | null {
  const match = VIA.exec(value);
  if (match === null) return null;
  const parameters = match[4] ?? '';
  const branch = /;\s*branch\s*=\s*([^;\s]+)/i.exec(parameters)?.[1] ?? '';
  const port = match[3] === undefined ? null : Number(match[3]);
  return {
    transport: match[1]!.toUpperCase(),
    host: match[2]!.replace(/^\[|\]$/g, ''),
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

/** Notes where a request really came from in its top Via (RFC 3261 section 18.2.1, RFC 3581 section 4). */
export function stampVia(value: string, via: Via, sourceHost: string, sourcePort: number): string {
  const differs = via.host !== sourceHost || via.wantsRport || isIP(via.host) === 0;
  const stamped = value
    .replace(/;\s*received\s*=[^;]*/gi, '')
    .replace(/;\s*rport\s*(?=;|$)/i, `;rport=${sourcePort}`);
  return differs ? `${stamped};received=${hostInUri(sourceHost)}` : stamped;
}

/** The sent-by value, by which two peers with the same branch are told apart (RFC 3261 section 17.2.3). */
export function sentByOf({ host, port }: Via): string {
  return `${hostInUri(host)}:${port ?? ''}`.toLowerCase();
}
