import { LimitedMap } from '../../base/limited-map.ts';
import type { Clock } from '../../base/time.ts';

const FIRST_MS = 1_000;
const LONGEST_MS = 60_000;
const MAX_CONNECTIONS = 20_000;

interface Pause {
  readonly untilMs: number;
  readonly lastedMs: number;
  readonly reason: string;
}

/** Pauses between attempts that fail, for each connection: 1 s, then twice as long each time, up to a minute. */
export class PlatformBackOff {
  readonly #clock: Clock;
  readonly #pauses = new LimitedMap<Pause>(MAX_CONNECTIONS);

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Why the last attempt failed, while the next one has to wait; null when it need not. */
  reason(connectionId: string): string | null {
    const pause = this.#pauses.get(connectionId);
    return pause && pause.untilMs > this.#clock.monotonicMs() ? pause.reason : null;
  }

  failed(connectionId: string, reason: string): void {
    const former = this.#pauses.get(connectionId);
    const lastedMs = former ? Math.min(former.lastedMs * 2, LONGEST_MS) : FIRST_MS;
    this.#pauses.set(connectionId, { untilMs: this.#clock.monotonicMs() + lastedMs, lastedMs, reason });
  }

  succeeded(connectionId: string): void {
    this.#pauses.delete(connectionId);
  }
}
