import { GatewayError } from '../../../src/base/errors.ts';
import type {
  HostedBot,
  HostsBots,
  LinkedBot,
  LinksToBots,
  LoginState,
  SharesLogin,
} from '../../../src/connectors/contract/login.ts';

/** A platform that logs bots in, as seen by the account domain. */
export class FakeBotHost implements HostsBots, SharesLogin, LinksToBots {
  readonly platform = 'telegram';
  readonly provides = { bots: this, sharedLogin: this, deepLinks: this };
  readonly linkHint = 'Opens the bot';
  readonly carriesToken = true;
  /** Tokens by bot id. */
  readonly bots = new Map<string, string>();
  shared: LoginState | null = null;
  /** A hook that runs while a bot is being logged in. */
  beforeLogIn: (botId: string) => Promise<unknown> = async () => undefined;
  tell: (botId: string, state: LoginState) => void = () => undefined;

  async addBot({ id, token }: HostedBot): Promise<LoginState> {
    await this.beforeLogIn(id);
    if (token.includes('bad'))
      throw new GatewayError('bot_refused', 'The platform refused the bot token: Unauthorized');
    this.bots.set(id, token);
    const state = { name: `@bot_${token.split(':')[0]}`, status: 'ok' };
    this.tell(id, state);
    return state;
  }

  async removeBot(botId: string): Promise<void> {
    this.bots.delete(botId);
  }

  onBotState(listener: (botId: string, state: LoginState) => void): void {
    this.tell = listener;
  }

  botLink({ name }: LinkedBot, token: string | null): string {
    return `https://t.me/${name.slice(1)}${token === null ? '' : `?start=${token}`}`;
  }

  sharedLogin(): LoginState | null {
    return this.shared;
  }
}
