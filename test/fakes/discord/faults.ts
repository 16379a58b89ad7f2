import type { ServerResponse } from 'node:http';
import { unreachable } from '../../../src/base/assert.ts';

/** What goes wrong with one request. */
export type Fault =
  /** Discord refuses. */
  | { readonly kind: 'refuse'; readonly status: number; readonly code: number; readonly message: string }
  /** Too many requests; `scope`: `user` unless given. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number; readonly scope?: 'user' | 'global' | 'shared' }
  /** The connection breaks; `isDone`: after the request was carried out. */
  | { readonly kind: 'drop'; readonly isDone: boolean }
  /** Something before Discord answers for it, in HTML. */
  | { readonly kind: 'gateway'; readonly status: number; readonly isDone?: boolean }
  /** No answer ever; `isDone`: after the request was carried out. `reached` is called when that moment has come. */
  | { readonly kind: 'hang'; readonly isDone?: boolean; readonly reached?: () => void };

/** What is to go wrong, by the names of routes. */
export class Faults {
  readonly #byRoute = new Map<string, (Fault | null)[]>();

  /** One for each of the next requests; null: nothing. */
  add(route: string, faults: readonly (Fault | null)[]): void {
    this.#byRoute.set(route, [...(this.#byRoute.get(route) ?? []), ...faults]);
  }

  take(route: string): Fault | null {
    return this.#byRoute.get(route)?.shift() ?? null;
  }
}

export function isAfterwards(fault: Fault): boolean {
  return 'isDone' in fault && fault.isDone === true;
}

export function applyFault(fault: Fault, response: ServerResponse): void {
  switch (fault.kind) {
    case 'refuse':
      return answer(response, fault.status, { message: fault.message, code: fault.code });
    case 'throttle':
      return answerThrottled(response, fault.retryAfterS, fault.scope ?? 'user');
    case 'gateway':
      response.writeHead(fault.status, { 'Content-Type': 'text/html' });
      response.end(`<html><head><title>${fault.status}</title></head></html>`);
      return;
    case 'drop':
      response.destroy();
      return;
    case 'hang':
      fault.reached?.();
      return;
    default:
      unreachable(fault);
  }
}

/** https://docs.discord.com/developers/topics/rate-limits#exceeding-a-rate-limit */
export function answerThrottled(
  response: ServerResponse,
  retryAfterS: number,
  scope: 'user' | 'global' | 'shared',
): void {
  response.setHeader('Retry-After', Math.ceil(retryAfterS));
  response.setHeader('X-RateLimit-Scope', scope);
  response.setHeader('X-RateLimit-Reset-After', retryAfterS.toFixed(3));
  if (scope === 'global') response.setHeader('X-RateLimit-Global', 'true');
  const message = scope === 'shared' ? 'The resource is being rate limited.' : 'You are being rate limited.';
  answer(response, 429, { message, retry_after: retryAfterS, global: scope === 'global' });
}

export function answer(response: ServerResponse, status: number, body: object | null): void {
  if (body === null) {
    response.writeHead(204);
    response.end();
    return;
  }
  const text = JSON.stringify(body);
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': length });
  response.end(text);
}
