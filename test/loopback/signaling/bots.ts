import { GatewayError } from '../../../src/base/errors.ts';
import type { HostedBot, HostsBots, LoginState } from '../../../src/connectors/contract/login.ts';
import type { Logins } from './logins.ts';
import { LoopbackRefusal } from './loopback-api.ts';
import { Me } from './vendor-messages.ts';

const LOGIN_DEADLINE_MS = 10_000;

/** The bots of all accounts. */
export class Bots implements HostsBots {
  readonly #logins: Logins;
  /** The vendor's account of each bot. */
  readonly #accounts = new Map<string, string>();
  #onState: (botId: string, state: LoginState) => void = () => undefined;

  constructor(logins: Logins) {
    this.#logins = logins;
  }

  onBotState(listener: (botId: string, state: LoginState) => void): void {
    this.#onState = listener;
  }

  async addBot({ id, token }: HostedBot): Promise<LoginState> {
    const api = this.#logins.apiFor({ token: async () => token, refused: async () => null });
    const login = this.#logins.add({ kind: 'bot_token', id }, api, null, (now) => this.#onState(id, now));
    try {
      const me = { method: 'GET', path: 'me' } as const;
      const { id: account, name } = await api.call(me, Me, AbortSignal.timeout(LOGIN_DEADLINE_MS));
      login.named(name);
      return this.#accept(id, account, name);
    } catch (error) {
      return await this.#failed(id, error as Error);
    }
  }

  /** The state of a bot whose vendor cannot be reached. Rejects when the vendor, or the gateway, refuses the bot. */
  async #failed(botId: string, error: Error): Promise<LoginState> {
    const isRefused = error instanceof LoopbackRefusal && error.status === 401;
    if (!isRefused && !(error instanceof GatewayError)) return { name: null, status: error.message };
    await this.removeBot(botId);
    if (error instanceof GatewayError) throw error;
    throw new GatewayError('bot_refused', `The platform refused the bot token: ${error.message}`);
  }

  async removeBot(botId: string): Promise<void> {
    this.#accounts.delete(botId);
    await this.#logins.remove(botId);
  }

  #accept(botId: string, account: string, name: string): LoginState {
    if ([...this.#accounts].some(([other, each]) => each === account && other !== botId))
      throw new GatewayError('bot_token_taken');
    this.#accounts.set(botId, account);
    const state = { name, status: 'ok' };
    this.#onState(botId, state);
    return state;
  }
}
