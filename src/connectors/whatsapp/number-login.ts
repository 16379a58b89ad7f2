import * as z from 'zod';
import type { CancelTimer, Clock } from '../../base/time.ts';
import { withDeadline } from '../../base/waits.ts';
import type { LoginState } from '../contract/login.ts';
import type { GraphAnswer, GraphClient } from './graph-client.ts';

const FIRST_RETRY_MS = 5_000;
const LAST_RETRY_MS = 300_000;
const DEADLINE_MS = 15_000;
const OK = 'ok';

const PhoneNumber = z.object({ display_phone_number: z.string() });

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
    const answer = await withDeadline(this.#clock, DEADLINE_MS, this.#closing.signal, (signal) =>
      this.#graph.get(`${this.#graph.phoneNumberId}?fields=display_phone_number`, signal),
    );
    const number = answer.kind === 'ok' ? PhoneNumber.safeParse(answer.body) : undefined;
    if (number?.success) {
      this.#retryMs = FIRST_RETRY_MS;
      this.#become({ name: number.data.display_phone_number, status: OK });
    } else {
      this.#become({ ...this.#state, status: problemOf(answer) });
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

function problemOf(answer: GraphAnswer): string {
  if (answer.kind === 'error') return answer.error.text;
  return answer.kind === 'ok' ? 'the response contains no phone number' : answer.reason;
}
