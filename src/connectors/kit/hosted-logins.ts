import { keyOfLogin, type LoginRef, SHARED_LOGIN } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { HostedBot, HostsBots, LoginState, SharesLogin } from '../contract/login.ts';

/** What every token of a platform looks like. */
export interface TokenForm {
  readonly pattern: RegExp;
  /** What it looks like and where it comes from: one or two sentences for whoever has pasted something else. */
  readonly hint: string;
}

/** A login of a platform's bot. */
export interface BotLogin {
  readonly state: LoginState;
  /** Asks the platform whose token it is. */
  logIn(): Promise<void>;
  /** Reports a rejection of `logIn` that does not concern the token. */
  couldNotLogIn?(error: unknown): void;
  close(): Promise<void>;
}

export interface HostedLoginsDeps<Login> {
  readonly form: TokenForm;
  /**
   * Creates and puts the login of a bot that an account has added. Throws a GatewayError when another login is this bot:
   * nothing may be awaited between looking and putting.
   */
  open(bot: HostedBot, onState: (state: LoginState) => void): Login | Promise<Login>;
  /** Reads a rejection of `logIn`. */
  failureOf(error: unknown): { readonly message: string; readonly isLoggedOut: boolean };
  /** Starts to receive over a login whose token the platform has not refused. */
  follow(login: Login, bot: HostedBot): void | Promise<void>;
  /** Called before a removed login is closed, and after it. */
  leaving?(key: string, login: Login | undefined): void | Promise<void>;
  removed?(key: string): Promise<void>;
}

/** The logins of a platform with bots: those that accounts add, and one that all accounts share. */
export class HostedLogins<Login extends BotLogin> implements HostsBots, SharesLogin {
  readonly #deps: HostedLoginsDeps<Login>;
  readonly #byKey = new Map<string, Login>();
  #onBotState: (botId: string, state: LoginState) => void = () => undefined;

  constructor(deps: HostedLoginsDeps<Login>) {
    this.#deps = deps;
  }

  onBotState(listener: (botId: string, state: LoginState) => void): void {
    this.#onBotState = listener;
  }

  put(key: string, login: Login): void {
    this.#byKey.set(key, login);
  }

  get(key: string): Login | undefined {
    return this.#byKey.get(key);
  }

  of(ref: LoginRef): Login | undefined {
    return this.get(keyOfLogin(ref));
  }

  get all(): readonly Login[] {
    return [...this.#byKey.values()];
  }

  sharedLogin(): LoginState | null {
    return this.get(SHARED_LOGIN)?.state ?? null;
  }

  async addBot(bot: HostedBot): Promise<LoginState> {
    const { form, open, failureOf, follow } = this.#deps;
    requireForm(bot.token, form);
    const login = await open(bot, (state) => this.#onBotState(bot.id, state));
    try {
      await login.logIn();
    } catch (error) {
      const failure = failureOf(error);
      if (failure.isLoggedOut || error instanceof GatewayError) {
        await this.removeBot(bot.id);
        throw error instanceof GatewayError ? error : botRefused(failure);
      }
      login.couldNotLogIn?.(error);
    }
    await follow(login, bot);
    return login.state;
  }

  async removeBot(key: string): Promise<void> {
    const login = this.#byKey.get(key);
    this.#byKey.delete(key);
    await this.#deps.leaving?.(key, login);
    await login?.close();
    await this.#deps.removed?.(key);
  }

  async close(): Promise<void> {
    await Promise.all(this.all.map((login) => login.close()));
  }
}

/** The platform refuses a token, in its own words. */
export function botRefused({ message }: { readonly message: string }, what = 'bot token'): GatewayError {
  return new GatewayError('bot_refused', `The platform refused the ${what}: ${message}`);
}

/** Throws `bot_token_malformed` for a text that the platform cannot have made, so the platform need not be asked. */
export function requireForm(token: string, { pattern, hint }: TokenForm): void {
  if (!pattern.test(token)) throw new GatewayError('bot_token_malformed', hint);
}
