import { keyOfLogin, type LoginRef, SHARED_LOGIN } from '../../base/address.ts';
import { GatewayError } from '../../base/errors.ts';
import type { ReadingTime } from '../../base/reading-time.ts';
import type { Clock } from '../../base/time.ts';
import type { CallLogin, Connector, PlacesCalls, Provides } from '../contract/connector.ts';
import type { LinksToBots, LoginState } from '../contract/login.ts';
import type { Messenger } from '../contract/messenger.ts';
import type { PlatformRecords } from '../contract/records.ts';
import { GivenIntake } from '../kit/given-intake.ts';
import { HostedLogins, type TokenForm } from '../kit/hosted-logins.ts';
import { type DiscordCallsDeps, discordCalls } from './calls/discord-calls.ts';
import { failureOf } from './client.ts';
import { discordMessenger } from './discord-messenger.ts';
import { DiscordRecords } from './discord-records.ts';
import type { VoiceSignaling } from './gateway/voice-signaling.ts';
import { BotLogin, type NewLogin } from './login/bot-login.ts';
import { installLink } from './login/install-link.ts';
import type { DiscordObserver } from './messages/message-receiver.ts';
import { discordOAuth } from './oauth/discord-oauth.ts';

/** What people of all accounts write to the shared bot is read in its own time. */
const SHARED_READER = 'the shared Discord bot';
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
  readonly records: PlatformRecords;
  readonly readingTime: ReadingTime;
  /** Absent: bots enter no voice channels. */
  readonly calls?: Pick<DiscordCallsDeps, 'bridges' | 'linkedPeople'>;
}

/** The bot's id in base64, a time and a signature. Client secrets and public keys have no dots. */
const DISCORD_TOKEN: TokenForm = {
  pattern: /^[MNO][\w-]{17,}\.[\w-]{4,}\.[\w-]{20,}$/,
  hint: 'This is not a Discord bot token. A token has three parts with dots between them, such as MTE5….GkX2pA.x9Lw…; the developer portal (https://discord.com/developers/applications) shows it once, under Bot, Reset Token. The client secret and the public key are other things.',
};

/** Discord, with any number of independent bots. */
export class DiscordConnector implements Connector, LinksToBots {
  readonly platform = 'discord' as const;
  readonly provides: Provides;
  readonly linkHint = 'Opens the page in Discord at which the bot is added to a server';
  readonly carriesToken = false;
  readonly #options: DiscordOptions;
  readonly #deps: DiscordDeps;
  readonly #intake = new GivenIntake();
  readonly #logins: HostedLogins<BotLogin>;

  constructor(options: DiscordOptions, deps: DiscordDeps) {
    this.#options = options;
    this.#deps = deps;
    const { apiUrl, cdnUrl, shared } = options;
    const logins = new HostedLogins<BotLogin>({
      form: DISCORD_TOKEN,
      open: ({ id, accountId, token, appId }, onState) => {
        if (logins.all.some((login) => login.hasToken(token))) throw new GatewayError('bot_token_taken');
        const own = { ref: { kind: 'bot_token', id }, token, applicationId: appId ?? '', onState } as const;
        return this.#open(own, accountId);
      },
      failureOf,
      follow: async (login) => {
        login.follow();
        await login.settled(FIRST_SESSION_MS);
      },
      leaving: (_key, login) => login?.signOff(),
      removed: async (key) => await deps.records.delete(key),
    });
    this.#logins = logins;
    const messenger = discordMessenger({
      cdnUrl,
      clock: deps.clock,
      count: () => deps.observer.count('throttled'),
      loginOf: (ref) => logins.of(ref),
      onMessages: this.#intake.give,
    });
    const secret = shared?.clientSecret ?? null;
    const application =
      shared && secret !== null ? { clientId: shared.applicationId, clientSecret: secret } : null;
    this.provides = {
      ...(deps.calls === undefined ? {} : { calls: this.#newCalls(deps.calls, messenger) }),
      messenger,
      sharedLogin: logins,
      bots: logins,
      deepLinks: this,
      oauth: discordOAuth(apiUrl, application),
    };
  }

  /** Starts receiving for the shared bot. An unreachable Discord only shows in the bot's state. */
  async start(): Promise<void> {
    const { shared } = this.#options;
    if (shared === null) return;
    const onState = ({ status }: LoginState) =>
      this.#deps.observer.log('info', 'the shared Discord bot changed state', { status });
    const { token, applicationId } = shared;
    this.#open({ ref: { kind: 'shared' }, token, applicationId, onState }, SHARED_READER).follow();
  }

  async close(): Promise<void> {
    await this.#logins.close();
  }

  botLink({ login }: { readonly login: LoginRef }): string {
    const shared = login.kind === 'shared' ? this.#options.shared?.applicationId : undefined;
    const applicationId = shared ?? this.#logins.of(login)?.applicationId ?? '';
    return installLink(this.#options.apiUrl, applicationId);
  }

  #newCalls(deps: NonNullable<DiscordDeps['calls']>, { checkText }: Messenger): PlacesCalls {
    return discordCalls({
      ...deps,
      clock: this.#deps.clock,
      sessionOf: (login) => this.#voiceOf(login),
      chat: { checkText: (text) => checkText(text, false), hearsBots: this.#options.hearsBots },
    });
  }

  /** The session of a login, for its calls; null until Discord has told who the bot is. */
  #voiceOf(login: CallLogin): VoiceSignaling | null {
    return this.#logins.get('id' in login ? login.id : SHARED_LOGIN)?.voice ?? null;
  }

  /** `reader`: in whose time its events are read. */
  #open(wanted: Omit<NewLogin, 'claim' | 'reader'>, reader: string): BotLogin {
    const { apiUrl, hearsBots } = this.#options;
    const records = new DiscordRecords(this.#deps.records);
    const world = { ...this.#deps, apiUrl, hearsBots, intake: this.#intake.get(), records };
    const login = new BotLogin(world, {
      ...wanted,
      reader: this.#deps.readingTime.of(reader),
      // A bot has one session: two of them would receive each message twice.
      claim: (userId) => {
        if (this.#logins.all.some((other) => other !== login && other.userId === userId))
          throw new GatewayError('bot_token_taken');
      },
    });
    this.#logins.put(keyOfLogin(wanted.ref), login);
    return login;
  }
}
