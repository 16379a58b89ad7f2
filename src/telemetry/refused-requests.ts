import type { Logger } from 'pino';
import { LimitedMap } from '../base/limited-map.ts';
import type { Clock } from '../base/time.ts';

const WINDOW_MS = 10_000;
/** Lines in a window: of one account, or of all strangers together. */
const MOST_OF_ONE = 20;
/** Of everybody. From then on each source gets its first line only, so that none takes the place of all others. */
const MOST = 200;
const MAX_SOURCES = 1_000;
const STRANGERS = '';

/** A request that was answered with an error. */
export interface RefusedRequest {
  readonly method: string;
  /** The declared path; null if no route matches. */
  readonly path: string | null;
  readonly status: number;
  readonly code: string | null;
  /** Null: the request had no valid credential. */
  readonly accountId: string | null;
}

/**
 * Writes a line for each refused request, but no more than the log can bear: whoever sends more of them in ten seconds
 * than are written is told of in one line with their number.
 */
export class RefusedRequests {
  readonly #logger: Logger;
  readonly #clock: Clock;
  #written = new LimitedMap<number>(MAX_SOURCES);
  #total = 0;
  #suppressed = 0;
  #windowEndMs = Number.NEGATIVE_INFINITY;

  constructor(logger: Logger, clock: Clock) {
    this.#logger = logger;
    this.#clock = clock;
  }

  note({ method, path, status, code, accountId }: RefusedRequest): void {
    this.#turnWindow();
    const source = accountId ?? STRANGERS;
    const written = this.#written.get(source) ?? 0;
    const most = written === 0 ? MOST + MAX_SOURCES : MOST;
    if (written >= MOST_OF_ONE || this.#total >= most) {
      this.#suppress();
      return;
    }
    this.#written.set(source, written + 1);
    this.#total += 1;
    // Clients make up methods; a path that matches no route may hold anything.
    const named = { method: METHODS.has(method) ? method.toUpperCase() : 'other', path: path ?? 'none' };
    this.#logger.info({ ...named, status, code, accountId }, 'request refused');
  }

  #turnWindow(): void {
    const nowMs = this.#clock.monotonicMs();
    if (nowMs < this.#windowEndMs) return;
    this.#windowEndMs = nowMs + WINDOW_MS;
    this.#written = new LimitedMap(MAX_SOURCES);
    this.#total = 0;
  }

  #suppress(): void {
    this.#suppressed += 1;
    if (this.#suppressed > 1) return;
    this.#clock.after(this.#windowEndMs - this.#clock.monotonicMs(), () => {
      this.#logger.info({ count: this.#suppressed }, 'more requests were refused');
      this.#suppressed = 0;
    });
  }
}

const METHODS: ReadonlySet<string> = new Set(['get', 'head', 'post', 'put', 'patch', 'delete', 'options']);
