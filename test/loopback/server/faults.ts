import { VendorError } from './vendor-error.ts';

/** No answer: the connection breaks, or nothing comes ever. */
export interface NoAnswer {
  readonly none: 'cut' | 'held';
}

type Fault =
  | { readonly error: VendorError }
  | { readonly none: NoAnswer['none']; readonly isDone: boolean; reached(): void };

/** What goes wrong with the next messages, one each. */
export class Faults {
  readonly #due: Fault[] = [];

  /** Too many requests, this many times. */
  throttle(times: number, retryAfterS: number): void {
    for (let i = 0; i < times; i++)
      this.#due.push({ error: new VendorError(429, 'throttled', 'Slow down', retryAfterS) });
  }

  /** Refused, in these words. */
  refuse(words: string): void {
    this.#due.push({ error: new VendorError(403, 'refused', words) });
  }

  /** Not answered; `isDone`: after it was carried out. Resolves when it has come so far. */
  leave(none: NoAnswer['none'], isDone: boolean): Promise<void> {
    return new Promise((reached) => this.#due.push({ none, isDone, reached }));
  }

  /** Carries a request out, or has it meet its fault. Throws VendorError. */
  meet<Answer>(carryOut: () => Answer): Answer | NoAnswer {
    const fault = this.#due.shift();
    if (fault === undefined) return carryOut();
    if ('error' in fault) throw fault.error;
    if (fault.isDone) carryOut();
    fault.reached();
    return { none: fault.none };
  }
}
