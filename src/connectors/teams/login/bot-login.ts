import type { CancelTimer, Clock } from '../../../base/time.ts';
import type { LoginState } from '../../contract/login.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { AppTokens, TokenUse } from '../auth/app-tokens.ts';
import { failureOf } from '../client.ts';
import type { TeamsObserver } from '../teams-observer.ts';

const OK = 'ok';
/** Status until Microsoft has answered for the first time. */
const CONNECTING = 'Connecting';
const FIRST_RETRY_MS = 5_000;
const LONGEST_RETRY_MS = 300_000;

export interface BotLoginDeps {
  readonly tokens: AppTokens;
  readonly botUse: TokenUse;
  readonly clock: Clock;
  readonly observer: TeamsObserver;
}

/** Whether Microsoft accepts the bot's secret. */
export class BotLogin {
  readonly #deps: BotLoginDeps;
  #state: LoginState;
  #retryMs = FIRST_RETRY_MS;
  #cancelRetry: CancelTimer = () => {};
  #isClosed = false;

  /** `name`: until an activity has told it. */
  constructor(deps: BotLoginDeps, name: string) {
    this.#deps = deps;
    this.#state = { name, status: CONNECTING };
  }

  get state(): LoginState {
    return this.#state;
  }

  /** Asks for a token, and again after every failure until there is one. Never rejects. */
  async check(): Promise<void> {
    this.#cancelRetry();
    try {
      await this.#deps.tokens.token(this.#deps.botUse);
      this.#retryMs = FIRST_RETRY_MS;
      this.#become({ ...this.#state, status: OK });
    } catch (error) {
      this.#isDown(failureOf(error).message);
    }
  }

  /** An activity tells how people see the bot. */
  isNamed(name: string): void {
    if (name !== this.#state.name) this.#become({ ...this.#state, name });
  }

  /** Reports a failed request of the bot. */
  failed(failure: PlatformFailure): void {
    this.#deps.observer.count(failure.kind === 'later' ? 'throttled' : 'api_error');
    if (failure.isLoggedOut) this.#isDown(failure.message);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry();
  }

  #isDown(status: string): void {
    if (this.#isClosed) return;
    this.#become({ ...this.#state, status });
    this.#cancelRetry();
    this.#cancelRetry = this.#deps.clock.after(this.#retryMs, () => void this.check());
    this.#retryMs = Math.min(this.#retryMs * 2, LONGEST_RETRY_MS);
  }

  #become(state: LoginState): void {
    const isChanged = state.status !== this.#state.status;
    this.#state = state;
    if (!isChanged) return;
    const { observer } = this.#deps;
    observer.count(state.status === OK ? 'login_ok' : 'login_failed');
    observer.log('info', 'the Teams bot changed state', { status: state.status });
  }
}
