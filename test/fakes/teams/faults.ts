import type { ServerResponse } from 'node:http';

/** What goes wrong with one request. */
export type Fault =
  | { readonly kind: 'refuse'; readonly status: number; readonly code: string; readonly message: string }
  /** Too many requests. `retryAfterS` null: without the header, as Teams often does. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number | null }
  /** The connection breaks; `isDone`: after the request was carried out. */
  | { readonly kind: 'drop'; readonly isDone: boolean }
  /** Something before Teams answers for it, in HTML. */
  | { readonly kind: 'gateway'; readonly status: number }
  /** No answer ever; `isDone`: after the request was carried out. `reached` is called when that moment has come. */
  | { readonly kind: 'hang'; readonly isDone?: boolean; readonly reached?: () => void };

/** Requests that can fail. `send`: of a message, not of a typing indicator. */
export type Operation =
  | 'send'
  | 'typing'
  | 'create'
  | 'token'
  | 'keys'
  | 'graph'
  | 'file'
  | 'upload'
  | 'directory';

/** What is to go wrong, by operation. */
export class Faults {
  readonly #byOperation = new Map<Operation, Fault[]>();

  add(operation: Operation, faults: readonly Fault[]): void {
    this.#byOperation.set(operation, [...(this.#byOperation.get(operation) ?? []), ...faults]);
  }

  take(operation: Operation): Fault | null {
    return this.#byOperation.get(operation)?.shift() ?? null;
  }
}

export function isAfterwards(fault: Fault): boolean {
  return 'isDone' in fault && fault.isDone === true;
}

export function applyFault(fault: Fault, response: ServerResponse): void {
  switch (fault.kind) {
    case 'refuse':
      answer(response, fault.status, {}, { error: { code: fault.code, message: fault.message } });
      break;
    case 'throttle': {
      const headers = fault.retryAfterS === null ? {} : { 'Retry-After': `${fault.retryAfterS}` };
      answer(response, 429, headers, {
        error: { code: 'TooManyRequests', message: 'API calls quota exceeded' },
      });
      break;
    }
    case 'gateway':
      response.writeHead(fault.status, { 'Content-Type': 'text/html' });
      response.end(`<html><head><title>${fault.status}</title></head></html>`);
      break;
    case 'drop':
      response.destroy();
      break;
    case 'hang':
      fault.reached?.();
  }
}

export function answer(response: ServerResponse, status: number, headers: object, body: unknown): void {
  if (response.destroyed || response.headersSent) return;
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    ...headers,
  });
  response.end(text);
}
