import type { ServerResponse } from 'node:http';

/** What goes wrong with one request. */
export type Fault =
  /** Telegram refuses. */
  | { readonly kind: 'refuse'; readonly status: number; readonly description: string }
  /** Too many requests. */
  | { readonly kind: 'throttle'; readonly retryAfterS: number }
  /** The connection breaks; `isDone`: after the request was carried out. */
  | { readonly kind: 'drop'; readonly isDone: boolean }
  /** Something before Telegram answers for it, in HTML. */
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
    const key = method.toLowerCase();
    this.#byMethod.set(key, [...(this.#byMethod.get(key) ?? []), ...faults]);
  }

  take(method: string): DueFault | null {
    const fault = this.#byMethod.get(method.toLowerCase())?.shift();
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
      refuse(response, fault.status, fault.description, {});
      break;
    case 'throttle': {
      const { retryAfterS } = fault;
      const description = `Too Many Requests: retry after ${retryAfterS}`;
      refuse(response, 429, description, { parameters: { retry_after: retryAfterS } });
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

function refuse(response: ServerResponse, status: number, description: string, more: object): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ ok: false, error_code: status, description, ...more }));
}
