import type { ServerResponse } from 'node:http';

/** What goes wrong with one request, the same on every platform. `isDone`: after the request was carried out. */
export type NoAnswer =
  /** The connection breaks. */
  | { readonly kind: 'drop'; readonly isDone: boolean }
  /** Something before the platform answers for it, in HTML. */
  | { readonly kind: 'gateway'; readonly status: number; readonly isDone?: boolean }
  /** No answer ever. `reached` is called when that moment has come. */
  | { readonly kind: 'hang'; readonly isDone?: boolean; readonly reached?: () => void };

/** A fault that a request has met. */
export interface DueFault {
  readonly isAfterwards: boolean;
  apply(response: ServerResponse): void;
}

/** What is to go wrong, by the names of requests. `Refusal`: what the platform itself answers. */
export class Faults<Refusal extends { readonly kind: 'refuse' | 'throttle' }> {
  readonly #refuse: (refusal: Refusal, response: ServerResponse) => void;
  readonly #byName = new Map<string, (Refusal | NoAnswer | null)[]>();

  constructor(refuse: (refusal: Refusal, response: ServerResponse) => void) {
    this.#refuse = refuse;
  }

  /** One for each of the next requests; null: nothing. */
  add(name: string, faults: readonly (Refusal | NoAnswer | null)[]): void {
    this.#byName.set(name, [...(this.#byName.get(name) ?? []), ...faults]);
  }

  take(name: string): DueFault | null {
    const fault = this.#byName.get(name)?.shift();
    if (!fault) return null;
    return {
      isAfterwards: 'isDone' in fault && fault.isDone === true,
      apply: (response) => this.#apply(fault, response),
    };
  }

  #apply(fault: Refusal | NoAnswer, response: ServerResponse): void {
    switch (fault.kind) {
      case 'drop':
        response.destroy();
        break;
      case 'gateway':
        response.writeHead(fault.status, { 'Content-Type': 'text/html' });
        response.end(`<html><head><title>${fault.status}</title></head></html>`);
        break;
      case 'hang':
        fault.reached?.();
        break;
      default:
        this.#refuse(fault, response);
    }
  }
}
