import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request as it came, with its body. */
export interface NcRequest {
  readonly method: string;
  /** As it was sent, with its parts encoded. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  readonly cookies: ReadonlyMap<string, string>;
  readonly body: Buffer;
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal;
}

export async function readRequest(message: IncomingMessage, gone: AbortSignal): Promise<NcRequest> {
  const url = new URL(message.url ?? '/', 'http://fake');
  return {
    method: message.method ?? '',
    // Both forms of an app's address are taken.
    path: url.pathname.replace(/^\/index\.php(?=\/)/, ''),
    query: url.searchParams,
    headers: message.headers,
    cookies: cookiesIn(message.headers.cookie ?? ''),
    body: await buffer(message),
    gone,
  };
}

/** Returns a header's value, or '' without one. */
export function headerOf({ headers }: NcRequest, name: string): string {
  const value = headers[name];
  return typeof value === 'string' ? value : '';
}

/** Returns the user and password of HTTP Basic (RFC 7617). Null: there are none. */
export function basicOf(request: NcRequest): { readonly login: string; readonly password: string } | null {
  const [, encoded] = /^Basic ([A-Za-z0-9+/=]+)$/.exec(headerOf(request, 'authorization')) ?? [];
  if (encoded === undefined) return null;
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  return { login: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

function cookiesIn(header: string): ReadonlyMap<string, string> {
  const pairs = header.split(';').map((each) => each.trim().split('='));
  return new Map(pairs.flatMap(([name = '', value = '']) => (name === '' ? [] : [[name, value] as const])));
}
