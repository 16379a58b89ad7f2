import { LimitedMap } from '../base/limited-map.ts';
import { answeredWithin, type Clock } from '../base/time.ts';
import { ModelFault } from './model-fault.ts';

const DEADLINE_MS = 20_000;
/** Few keys are in use at a time: they change with settings. */
const MAX_KEYS = 32;

/**
 * Things that are made at a provider once and then shared, by key. Turns that need one at the same time wait for the same
 * attempt, which none of them can abort. A failed attempt is forgotten.
 */
export class MadeOnce<Value> {
  readonly #clock: Clock;
  readonly #made = new LimitedMap<Promise<Value>>(MAX_KEYS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects as `make` does, and with the signal's reason once it aborts. */
  get(key: string, make: (signal: AbortSignal) => Promise<Value>, signal: AbortSignal): Promise<Value> {
    return unlessAborted(this.#made.get(key) ?? this.#make(key, make), signal);
  }

  /** The next caller makes it again. */
  forget(key: string): void {
    this.#made.delete(key);
  }

  #make(key: string, make: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const attempt = answeredWithin(this.#clock, DEADLINE_MS, late, make);
    this.#made.set(key, attempt);
    attempt.catch(() => {
      if (this.#made.get(key) === attempt) this.#made.delete(key);
    });
    return attempt;
  }
}

function late(): ModelFault {
  return new ModelFault('overloaded', { words: 'the provider does not answer in time' });
}

async function unlessAborted<Value>(promise: Promise<Value>, signal: AbortSignal): Promise<Value> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
