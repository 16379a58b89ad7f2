import type { ServerResponse } from 'node:http';

/** What goes wrong with one request. */
export type Fault =
  /** Slack refuses, with status 200 as it does. */
  | { readonly kind: 'refuse'; readonly error: string }
  /** Too many requests. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number }
  /** The connection breaks; `isDone`: after the request was carried out. */
  | { readonly kind: 'drop'; readonly isDone: boolean }
  /** Something before Slack answers for it, in HTML. */
  | { readonly kind: 'gateway'; readonly status: number }
  /** No answer ever; `isDone`: after the request was carried out. `reached` is called when that moment has come. */
  | { readonly kind: 'hang'; readonly isDone?: boolean; readonly reached?: () => void };

export interface DueFault {
  readonly isAfterwards: boolean;
  apply(response: ServerResponse): void;
}

/** What is to go wrong, by method. */
export class Faults {
  readonly #byMethod = new Map<string, Fault[]>();

  add(method: string, faults: readonly Fault[]): void {
    this.#byMethod.set(method, [...(this.#byMethod.get(method) ?? []), ...faults]);
  }

  take(method: string): DueFault | null {
    const fault = this.#byMethod.get(method)?.shift();
    if (!fault) return null;
    return {
      isAfterwards: 'isDone' in fault && fault.isDone === true,
      apply: (response) => apply(fault, response),
    };
  }
}

function apply(fault: Fault, response: ServerResponse): void {
  switch (fault.kind) {
    case 'refuse':
      answer(response, 200, {}, { ok: false, error: fault.error });
      break;
    case 'throttle':
      answer(response, 429, { 'Retry-After': `${fault.retryAfterS}` }, { ok: false, error: 'ratelimited' });
      break;
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

function answer(response: ServerResponse, status: number, headers: object, body: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', ...headers });
  response.end(JSON.stringify(body));
}
