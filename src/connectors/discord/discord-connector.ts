import { assert } from '../../base/assert.ts';
import { GatewayError } from '../../base/errors.ts';
import type { Clock } from '../../base/time.ts';
import type { CallLogin, Connector, Provides } from '../contract/connector.ts';
import {
  type HostedBot,
  type HostsBots,
  keyOfLogin,
  type LinksToBots,
  type LoginRef,
  type LoginState,
  SHARED_LOGIN,
  type SharesLogin,
} from '../contract/login.ts';
import { CodeTries } from '../kit/code-tries.ts';
import { PlatformFailure } from '../kit/platform-failure.ts';
import { requireForm } from '../kit/token-form.ts';
import { DiscordCalls, type DiscordCallsDeps } from './calls/discord-calls.ts';
import { DiscordMessenger } from './discord-messenger.ts';
import type { DiscordRecords } from './discord-records.ts';
import type { VoiceSignaling } from './gateway/voice-signaling.ts';
import type { BotLogin } from './login/bot-login.ts';
import { installLink } from './login/install-link.ts';
import { type NewLogin, openLogin } from './login/open-login.ts';
import { DISCORD_TOKEN } from './login/token-form.ts';
import type { DiscordObserver } from './messages/message-receiver.ts';
import { DiscordOAuth } from './oauth/discord-oauth.ts';

/** How long registering a bot waits for its session. */
const FIRST_SESSION_MS = 10_000;

export interface DiscordOptions {
  /** Without the version and a trailing slash, for example `https://discord.com/api`. */
  readonly apiUrl: string;
  /** Origin that files are downloaded from. */
  readonly cdnUrl: string;
  /** The bot that all accounts share; null: there is none. */
  readonly shared: SharedBot | null;
  /** Whether bots hear other bots. */
  readonly hearsBots: boolean;
}

export interface SharedBot {
  readonly token: string;
  readonly applicationId: string;
  /** Lets people link themselves by signing in at Discord; null: they cannot. */
  readonly clientSecret: string | null;
}

export interface DiscordDeps {
  readonly clock: Clock;
  readonly observer: DiscordObserver;
  readonly records: DiscordRecords;
  /** Absent: bots enter no voice channels. */
  readonly calls?: Pick<DiscordCallsDeps, 'bridges' | 'linkedPeople'>;
}

/** Discord, with any number of independent bots. */
export class DiscordConnector implements Connector, SharesLogin, HostsBots, LinksToBots {
  readonly platform = 'discord' as const;
  readonly provides: Provides;
  readonly linkHint = 'Opens the page in Discord at which the bot is added to a server';
  readonly carriesToken = false;
  readonly #options: DiscordOptions;
  readonly #deps: DiscordDeps;
  readonly #messenger: DiscordMessenger;
  readonly #tries: CodeTries;
  /** By `keyOfLogin`. */
  readonly #logins = new Map<string, BotLogin>();
  #onBotState: (botId: string, state: LoginState) => void = () => undefined;

  constructor(options: DiscordOptions, deps: DiscordDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#tries = new CodeTries(deps.clock);
    const { apiUrl, cdnUrl, shared } = options;
    this.#messenger = new DiscordMessenger(
      { cdnUrl, clock: deps.clock, count: () => deps.observer.count('throttled') },
      (ref) => this.#logins.get(keyOfLogin(ref)),
    );
    const secret = shared?.clientSecret ?? null;
    const application = shared && secret !== null ? { ...shared, apiUrl, clientSecret: secret } : null;
    this.provides = {
      ...(deps.calls === undefined ? {} : { calls: this.#newCalls(deps.calls) }),
      messenger: this.#messenger,
      sharedLogin: this,
      bots: this,
      deepLinks: this,
      oauth: new DiscordOAuth(apiUrl, application),
    };
  }

  onBotState(listener: (botId: string, state: LoginState) => void): void {
    this.#onBotState = listener;
  }

  /** Starts receiving for the shared bot. An unreachable Discord only shows in the bot's state. */
  async start(): Promise<void> {
    const { shared } = this.#options;
    if (shared === null) return;
    const { token, applicationId } = shared;
    const onState = ({ status }: LoginState) =>
      this.#deps.observer.log('info', 'the shared Discord bot changed state', { status });
    this.#open({ ref: { kind: 'shared' }, token, applicationId, onState }).follow();
  }

  async close(): Promise<void> {
    await Promise.all([...this.#logins.values()].map((login) => login.close()));
  }

  sharedLogin(): LoginState | null {
    return this.#logins.get(SHARED_LOGIN)?.state ?? null;
  }

  async addBot({ id, token, appId }: HostedBot): Promise<LoginState> {
    requireForm(token, DISCORD_TOKEN);
    if ([...this.#logins.values()].some((login) => login.hasToken(token)))
      throw new GatewayError('bot_token_taken');
    const onState = (state: LoginState) => this.#onBotState(id, state);
    const ref: LoginRef = { kind: 'bot_token', id };
    const login = this.#open({ ref, token, applicationId: appId ?? '', onState });
    try {
      await login.logIn();
    } catch (error) {
      const isRefused = error instanceof PlatformFailure && error.isLoggedOut;
      if (isRefused || error instanceof GatewayError) {
        await this.removeBot(id);
        throw isRefused ? refused(error) : error;
      }
    }
    login.follow();
    await login.settled(FIRST_SESSION_MS);
    return login.state;
  }

  async removeBot(botId: string): Promise<void> {
    const login = this.#logins.get(botId);
    this.#logins.delete(botId);
    await login?.remove();
  }

  botLink({ login }: { readonly login: LoginRef }): string {
    const shared = login.kind === 'shared' ? this.#options.shared?.applicationId : undefined;
    const applicationId = shared ?? this.#logins.get(keyOfLogin(login))?.applicationId ?? '';
    return installLink(this.#options.apiUrl, applicationId);
  }

  #newCalls(deps: NonNullable<DiscordDeps['calls']>): DiscordCalls {
    return new DiscordCalls({
      ...deps,
      clock: this.#deps.clock,
      sessionOf: (login) => this.#voiceOf(login),
      chat: {
        checkText: (text) => this.#messenger.checkText(text),
        hearsBots: this.#options.hearsBots,
      },
    });
  }

  /** The session of a login, for its calls; null until Discord has told who the bot is. */
  #voiceOf(login: CallLogin): VoiceSignaling | null {
    const key = 'id' in login ? login.id : SHARED_LOGIN;
    return this.#logins.get(key)?.voice ?? null;
  }

  #open(login: Omit<NewLogin, 'claim'>): BotLogin {
    const { apiUrl, hearsBots } = this.#options;
    const { intake } = this.#messenger;
    assert(intake !== null, 'onMessages comes before logins');
    const key = keyOfLogin(login.ref);
    const world = { ...this.#deps, apiUrl, hearsBots, intake, tries: this.#tries };
    const opened = openLogin(world, { ...login, claim: (userId) => this.#claim(key, userId) });
    this.#logins.set(key, opened);
    return opened;
  }

  /** A bot has one session: two of them would receive each message twice. */
  #claim(key: string, userId: string): void {
    for (const [other, login] of this.#logins)
      if (other !== key && login.userId === userId) throw new GatewayError('bot_token_taken');
  }
}

function refused({ message }: Error): GatewayError {
  return new GatewayError('bot_refused', `The platform refused the bot token: ${message}`);
}
