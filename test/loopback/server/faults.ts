import { VendorError } from './vendor-error.ts';

/** What goes wrong with the next messages. */
export class Faults {
  readonly #due: VendorError[] = [];

  /** Too many requests, this many times. */
  throttle(times: number, retryAfterS: number): void {
    for (let i = 0; i < times; i++)
      this.#due.push(new VendorError(429, 'throttled', 'Slow down', retryAfterS));
  }

  /** Throws the fault that is due. */
  check(): void {
    const fault = this.#due.shift();
    if (fault !== undefined) throw fault;
  }
}
