import { keyOfLogin, type LoginRef } from '../../../base/address.ts';
import type { Reader } from '../../../base/reading-time.ts';
import { Backoff, type Clock, pause } from '../../../base/time.ts';
import type { LoginState } from '../../contract/login.ts';
import type { MessageIntake } from '../../contract/messenger.ts';
import { LOGIN_OK, LoginStatus } from '../../kit/login-check.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import { DiscordRest, HIDDEN_TOKEN } from '../client.ts';
import type { DiscordRecords } from '../discord-records.ts';
import { closeWords } from '../gateway/gateway-connection.ts';
import { GatewaySession, type SessionObserver } from '../gateway/gateway-session.ts';
import { SessionKeeper } from '../gateway/session-keeper.ts';
import { VoiceFollowers, voiceOf } from '../gateway/voice-followers.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import { EventReader } from '../messages/event-reader.ts';
import { History } from '../messages/history.ts';
import { KnownChannels } from '../messages/known-channels.ts';
import { MessagePlaces } from '../messages/message-places.ts';
import { type DiscordObserver, MessageReceiver, type Receiving } from '../messages/message-receiver.ts';
import { type BotIdentity, identifyBot } from './bot-identity.ts';

const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** Retry interval for a bot that has been logged out. */
const LOGGED_OUT_MS = 300_000;

/** What all logins share. */
export interface LoginWorld {
  readonly apiUrl: string;
  readonly hearsBots: boolean;
  readonly intake: MessageIntake;
  readonly records: DiscordRecords;
  readonly clock: Clock;
  readonly observer: DiscordObserver;
}

export interface NewLogin {
  readonly ref: LoginRef;
  readonly token: string;
  readonly applicationId: string;
  readonly onState: (state: LoginState) => void;
  /** In whose time its events are read. */
  readonly reader: Reader;
  /** Throws a GatewayError when another login is the same bot. Called whenever Discord has told who it is. */
  readonly claim: (userId: string) => void;
}

/** Login of one bot: who it is, its session at the gateway, and its state. Nothing is sent before `logIn` or `follow`. */
export class BotLogin extends LoginStatus {
  readonly rest: DiscordRest;
  readonly channels: KnownChannels;
  readonly #world: LoginWorld;
  readonly #wanted: NewLogin;
  readonly #history: History;
  readonly #events: EventReader;
  readonly #followers = new VoiceFollowers();
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  readonly #settled = Promise.withResolvers<void>();
  #identity: BotIdentity | null = null;
  /** Whether the identity is as fresh as the last failure. */
  #isChecked = false;
  #keeper: SessionKeeper | null = null;
  #session: GatewaySession | null = null;
  #voice: VoiceSignaling | null = null;
  #following: Promise<void> | null = null;

  constructor(world: LoginWorld, wanted: NewLogin) {
    super(wanted.onState);
    this.#world = world;
    this.#wanted = wanted;
    const { ref } = wanted;
    const onLoggedOut = ({ message }: Error): void => this.#loggedOut(message);
    const rest = new DiscordRest({ ...world, token: wanted.token, onLoggedOut });
    const channels = new KnownChannels(world.records, keyOfLogin(ref));
    const places = new MessagePlaces(channels, rest);
    const receiver = new MessageReceiver({ ...world, ref, rest, channels, places });
    const history = new History({
      rest,
      channels,
      clock: world.clock,
      take: (message, signal) => receiver.take(message, this.#receiving, signal),
    });
    const isInCall = (guildId: string, channelId: string) => this.#followers.isInCall(guildId, channelId);
    this.#events = new EventReader({ ...world, ref, rest, channels, places, history, receiver, isInCall });
    this.#history = history;
    this.rest = rest;
    this.channels = channels;
  }

  get applicationId(): string {
    return this.#wanted.applicationId;
  }

  /** Null until Discord has told who the bot is. */
  get userId(): string | null {
    return this.#identity?.userId ?? null;
  }

  /** The session for calls; null until there is one. */
  get voice(): VoiceSignaling | null {
    return this.#voice;
  }

  hasToken(token: string): boolean {
    return this.#wanted.token === token;
  }

  /** Asks Discord whose token it is. Rejects with a PlatformFailure, or with what `claim` throws. */
  async logIn(): Promise<void> {
    const { ref, applicationId, claim } = this.#wanted;
    const identity = await identifyBot(this.rest, applicationId, this.signal);
    claim(identity.userId);
    const { missing } = identity.intents;
    if (missing.length > 0 && this.#identity === null) {
      const detail = { login: keyOfLogin(ref), missing };
      this.#world.observer.log('warn', 'privileged intents are off for a Discord bot', detail);
    }
    this.#identity = identity;
    this.#isChecked = true;
    this.become({ name: identity.name });
  }

  /** Follows the bot's events in the background and retries after every failure. */
  follow(): void {
    this.#following ??= this.#follow(this.signal);
  }

  /** Resolves when the session is up for the first time or has failed, or after `withinMs`. */
  async settled(withinMs: number): Promise<void> {
    const cancel = this.#world.clock.after(withinMs, () => this.#settled.resolve());
    await this.#settled.promise;
    cancel();
  }

  /** Tells Discord that the next process does not resume the session. */
  signOff(): void {
    this.#session?.signOff();
  }

  /** Disconnects and waits for pending writes. */
  override async close(): Promise<void> {
    await super.close();
    this.#settled.resolve();
    await this.#following;
    await this.#keeper?.flushed();
    this.rest.close();
  }

  override become({ status, ...change }: Partial<LoginState>): void {
    if (status === undefined) return super.become(change);
    this.#settled.resolve();
    super.become({ ...change, status: status.replaceAll(this.#wanted.token, HIDDEN_TOKEN) });
  }

  /** Discord has refused the token to a request. The gateway has the last word. */
  #loggedOut(status: string): void {
    this.become({ status });
    this.#session?.reconnect();
  }

  async #follow(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let pauseMs = 0;
      try {
        this.rest.retryToken();
        if (!this.#isChecked) await this.logIn();
        await this.#keepSession(signal);
      } catch (error) {
        if (signal.aborted) return;
        pauseMs = this.#pauseAfter(error);
      }
      this.#isChecked = false;
      await pause(this.#world.clock, Math.max(pauseMs, this.#backoff.next()), signal);
    }
  }

  /** Resolves when the bot's owner has to do something; the state says what. */
  async #keepSession(signal: AbortSignal): Promise<void> {
    this.#session ??= await this.#openSession();
    const close = await this.#session.run(this.#identity!.intents.bits, signal);
    if (close !== null) this.become({ status: closeWords(close) });
  }

  #pauseAfter(error: unknown): number {
    this.become({ status: (error as Error).message });
    if (!(error instanceof PlatformFailure)) {
      this.#world.observer.log('error', 'a Discord bot could not be logged in', { err: error });
      return LOGGED_OUT_MS;
    }
    return error.isLoggedOut ? LOGGED_OUT_MS : error.afterMs;
  }

  async #openSession(): Promise<GatewaySession> {
    const { apiUrl, records, clock, observer } = this.#world;
    const key = keyOfLogin(this.#wanted.ref);
    const userId = this.#identity!.userId;
    await records.claim(key, userId);
    await this.channels.load();
    const keeper = new SessionKeeper(records, key, await records.session(key), (err) =>
      observer.log('error', 'a Discord session could not be stored', { err }),
    );
    this.#keeper = keeper;
    const session = new GatewaySession({
      rest: this.rest,
      token: this.#wanted.token,
      isEncrypted: apiUrl.startsWith('https:'),
      clock,
      reader: this.#wanted.reader,
      keeper,
      observer: this.#sessionObserver(),
    });
    this.#voice = voiceOf(userId, this.rest, session, this.#followers);
    return session;
  }

  /** Brings what happens in the session to messages, calls, and the state. */
  #sessionObserver(): SessionObserver {
    const { observer, clock } = this.#world;
    return {
      up: () => {
        this.#backoff.reset();
        this.rest.retryToken();
        this.become({ status: LOGIN_OK });
      },
      down: (words) => {
        observer.count('connection_lost');
        if (words !== null) this.become({ status: words });
      },
      seen: (event) => this.#followers.seen(event),
      take: async (event) => {
        await patiently(clock, this.signal, () => this.#events.take(event, this.#receiving, this.signal));
        observer.count('event_read');
      },
      fillGap: (ended) => this.#history.readAll(ended),
      failed: (event, error, isSkipped) => {
        observer.count(isSkipped ? 'event_skipped' : 'event_failed');
        if (!(error instanceof PlatformFailure))
          observer.log('error', 'a Discord event could not be stored', { err: error, type: event.type });
      },
    };
  }

  /** The bot as a receiver of messages. */
  get #receiving(): Receiving {
    const { userId, intents } = this.#identity!;
    return { userId, readsContent: intents.missing.length === 0 };
  }
}

/** Repeats what Discord has put off. */
async function patiently(clock: Clock, signal: AbortSignal, run: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await run();
    } catch (error) {
      if (!(error instanceof PlatformFailure) || error.kind !== 'later' || signal.aborted) throw error;
      await pause(clock, error.afterMs, signal);
    }
  }
}
