import type { IncomingMessage } from 'node:http';
import type { RequestHead } from '../request/request-head.ts';

/** Adapter for a request parsed by Node's http. */
export class NodeHead implements RequestHead {
  readonly #request: IncomingMessage;
  readonly #path: string;
  readonly #query: string;

  constructor(request: IncomingMessage) {
    this.#request = request;
    const target = request.url ?? '';
    const mark = target.indexOf('?');
    this.#path = mark < 0 ? target : target.slice(0, mark);
    this.#query = mark < 0 ? '' : target.slice(mark + 1);
  }

  getMethod(): string {
    return (this.#request.method ?? '').toLowerCase();
  }

  getUrl(): string {
    return this.#path;
  }

  getQuery(): string {
    return this.#query;
  }

  getHeader(name: string): string {
    return this.#request.headersDistinct[name]?.[0] ?? '';
  }
}

/**
 * Whether a request that passes Node's parser must be refused (RFC 9112, sections 3.2 and 6): it has several hosts,
 * none, or a transfer coding other than `chunked`.
 */
export function isInDoubt(request: IncomingMessage): boolean {
  const coding = request.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') return true;
  let hosts = 0;
  for (let i = 0; i < request.rawHeaders.length; i += 2) {
    if (request.rawHeaders[i]!.toLowerCase() === 'host') hosts += 1;
  }
  return hosts !== 1;
}

/** Whether a request announces a body. */
export function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
