import type { Clock } from '../../../base/time.ts';
import { LOGIN_OK, LoginCheck } from '../../kit/login-check.ts';
import type { PlatformFailure } from '../../kit/platform-failure.ts';
import type { AppTokens, TokenUse } from '../auth/app-tokens.ts';
import { failureOf } from '../client.ts';
import type { TeamsObserver } from '../teams-observer.ts';

export interface BotLoginDeps {
  readonly tokens: AppTokens;
  readonly botUse: TokenUse;
  readonly clock: Clock;
  readonly observer: TeamsObserver;
}

/** Whether Microsoft accepts the bot's secret. */
export class BotLogin extends LoginCheck {
  readonly #observer: TeamsObserver;

  /** `name`: until an activity has told it. */
  constructor({ tokens, botUse, clock, observer }: BotLoginDeps, name: string) {
    super(
      {
        clock,
        ask: async () => {
          await tokens.token(botUse);
          return {};
        },
        wordsOf: (error) => failureOf(error).message,
        onState: ({ status }, former) => {
          if (status === former.status) return;
          observer.count(status === LOGIN_OK ? 'login_ok' : 'login_failed');
          observer.log('info', 'the Teams bot changed state', { status });
        },
      },
      { name },
    );
    this.#observer = observer;
  }

  /** Reports a failed request of the bot. */
  failed(failure: PlatformFailure): void {
    this.#observer.count(failure.kind === 'later' ? 'throttled' : 'api_error');
    if (failure.isLoggedOut) this.isDown(failure.message);
  }
}
