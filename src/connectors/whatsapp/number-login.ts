import type { CancelTimer, Clock } from '../../base/time.ts';
import type { LoginState } from '../contract/login.ts';
import type { GraphClient } from './client.ts';

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;
const OK = 'ok';

/**
 * Requests our phone number from Meta until it succeeds. Success proves that the token is valid and gives the number
 * for invite links.
 */
export class NumberLogin {
  readonly #graph: GraphClient;
  readonly #clock: Clock;
  readonly #closing = new AbortController();
  readonly #onState: (problem: string | null) => void;
  /** `name` is the number as Meta displays it, for example `+1 555-0100`. */
  #state: LoginState = { name: null, status: 'not logged in yet' };
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: CancelTimer = () => {};
  #asking: Promise<void> | null = null;

  /** `onState` is called when a problem appears, changes or clears (null). */
  constructor(graph: GraphClient, clock: Clock, onState: (problem: string | null) => void) {
    this.#graph = graph;
    this.#clock = clock;
    this.#onState = onState;
  }

  get state(): LoginState {
    return this.#state;
  }

  start(): void {
    this.#cancelRetry();
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
  }

  /** Reports a request that failed because of our login. Checks the login until it works again. */
  failed(problem: string): void {
    this.#become({ ...this.#state, status: problem });
    this.#askLater();
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#cancelRetry();
    await this.#asking;
  }

  async #ask(): Promise<void> {
    try {
      const name = await this.#graph.displayedNumber(this.#closing.signal);
      this.#retryMs = FIRST_RETRY_MS;
      this.#become({ name, status: OK });
    } catch (error) {
      this.#become({ ...this.#state, status: (error as Error).message });
      this.#askLater();
    }
  }

  #askLater(): void {
    if (this.#closing.signal.aborted) return;
    this.#cancelRetry();
    this.#cancelRetry = this.#clock.after(this.#retryMs, () => this.start());
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }

  #become(state: LoginState): void {
    const isChanged = state.status !== this.#state.status;
    this.#state = state;
    if (isChanged) this.#onState(state.status === OK ? null : state.status);
  }
}
