import type { CancelTimer, Clock } from '../../base/time.ts';
import type { LoginState } from '../contract/login.ts';

/** Status of a login that works. */
export const LOGIN_OK = 'ok';
/** Status until the platform has answered for the first time. */
const CONNECTING = 'Connecting';
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

/** Called when the state of a login has changed, with what it was before. */
export type OnLoginState = (state: LoginState, former: LoginState) => void;

/** What a platform last said about a login. */
export class LoginStatus {
  readonly #onState: OnLoginState;
  readonly #ending = new AbortController();
  #state: LoginState;
  #impairment: string | null = null;

  constructor(onState: OnLoginState, first: Partial<LoginState> = {}) {
    this.#onState = onState;
    this.#state = { name: null, status: CONNECTING, ...first };
  }

  get state(): LoginState {
    const { name, status } = this.#state;
    return { name, status: status === LOGIN_OK ? (this.#impairment ?? LOGIN_OK) : status };
  }

  /** Aborts when the login is closed. */
  get signal(): AbortSignal {
    return this.#ending.signal;
  }

  become(change: Partial<LoginState>): void {
    this.#change(() => {
      this.#state = { ...this.#state, ...change };
    });
  }

  /** Reports why a login that the platform accepts does not work all the same; null: it works. */
  impair(words: string | null): void {
    this.#change(() => {
      this.#impairment = words;
    });
  }

  /** Its state changes no more. */
  async close(): Promise<void> {
    this.#ending.abort();
  }

  #change(change: () => void): void {
    if (this.signal.aborted) return;
    const former = this.state;
    change();
    const { name, status } = this.state;
    if (name !== former.name || status !== former.status) this.#onState({ name, status }, former);
  }
}

export interface LoginCheckDeps {
  readonly clock: Clock;
  /** Asks the platform whether it accepts the login, and for its name where it tells that. */
  ask(signal: AbortSignal): Promise<Partial<LoginState>>;
  /** Returns the platform's words in a rejection of `ask`. */
  wordsOf(error: unknown): string;
  readonly onState: OnLoginState;
}

/** Checks a login until the platform accepts it, and again after every failure. */
export class LoginCheck extends LoginStatus {
  readonly #deps: LoginCheckDeps;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: CancelTimer = () => {};
  #checking: Promise<void> | null = null;

  constructor(deps: LoginCheckDeps, first: Partial<LoginState> = {}) {
    super(deps.onState, first);
    this.#deps = deps;
  }

  /** Asks once. Rejects as `ask` does. */
  async logIn(): Promise<void> {
    const { name = this.state.name } = await this.#deps.ask(this.signal);
    this.#retryMs = FIRST_RETRY_MS;
    this.become({ name, status: LOGIN_OK });
  }

  /** Asks in the background. */
  check(): void {
    this.#cancelRetry();
    this.#checking ??= this.logIn()
      .catch((error: unknown) => this.couldNotLogIn(error))
      .finally(() => {
        this.#checking = null;
      });
  }

  /** As `check`, at some time within `spreadMs`. */
  checkWithin(spreadMs: number): void {
    this.#cancelRetry();
    this.#cancelRetry = this.#deps.clock.after(Math.random() * spreadMs, () => this.check());
  }

  /** Reports a rejection of `logIn`. */
  couldNotLogIn(error: unknown): void {
    this.isDown(this.#deps.wordsOf(error));
  }

  /** Reports that the login does not work, in the platform's words. It is checked again later. */
  isDown(status: string): void {
    if (this.signal.aborted) return;
    this.become({ status });
    this.#cancelRetry();
    this.#cancelRetry = this.#deps.clock.after(this.#retryMs, () => this.check());
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  override async close(): Promise<void> {
    await super.close();
    this.#cancelRetry();
    await this.#checking;
  }
}
