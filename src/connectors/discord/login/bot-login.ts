import { Backoff } from '../../../base/backoff.ts';
import type { Clock } from '../../../base/time.ts';
import { pause } from '../../../base/waits.ts';
import type { LoginRef, LoginState } from '../../contract/login.ts';
import type { DiscordRecords } from '../discord-records.ts';
import { closeWords } from '../gateway/gateway-connection.ts';
import { GatewaySession, type SessionObserver } from '../gateway/gateway-session.ts';
import { SessionKeeper } from '../gateway/session-keeper.ts';
import { BotVoice, type VoiceFollowers } from '../gateway/voice-followers.ts';
import type { VoiceSignaling } from '../gateway/voice-signaling.ts';
import type { EventReader } from '../messages/event-reader.ts';
import type { History } from '../messages/history.ts';
import type { KnownChannels } from '../messages/known-channels.ts';
import type { DiscordObserver, Receiving } from '../messages/message-receiver.ts';
import { DiscordFailure, HIDDEN_TOKEN } from '../rest/discord-failure.ts';
import type { DiscordRest } from '../rest/discord-rest.ts';
import type { RestClient } from '../rest/rest-client.ts';
import { type BotIdentity, identifyBot } from './bot-identity.ts';
import { sessionObserver } from './session-observer.ts';

const OK = 'ok';
/** Status until Discord has answered for the first time. */
const CONNECTING = 'Connecting';
const FIRST_RETRY_MS = 1_000;
const LONGEST_RETRY_MS = 300_000;
/** Retry interval for a bot that has been logged out. */
const LOGGED_OUT_MS = 300_000;

export interface BotLoginDeps {
  readonly ref: LoginRef;
  /** Key of the login in the records. */
  readonly key: string;
  readonly token: string;
  readonly applicationId: string;
  /** Whether the gateway must be reached over TLS. */
  readonly isEncrypted: boolean;
  readonly client: RestClient;
  readonly rest: DiscordRest;
  readonly records: DiscordRecords;
  readonly channels: KnownChannels;
  readonly history: History;
  readonly events: EventReader;
  readonly followers: VoiceFollowers;
  readonly clock: Clock;
  readonly observer: DiscordObserver;
  readonly onState: (state: LoginState) => void;
  /** Throws a GatewayError when another login is the same bot. Called whenever Discord has told who it is. */
  readonly claim: (userId: string) => void;
}

/** Login of one bot: who it is, its session at the gateway, and its state. */
export class BotLogin {
  readonly #deps: BotLoginDeps;
  readonly #ending = new AbortController();
  readonly #backoff = new Backoff(FIRST_RETRY_MS, LONGEST_RETRY_MS);
  readonly #settled = Promise.withResolvers<void>();
  #identity: BotIdentity | null = null;
  /** Whether the identity is as fresh as the last failure. */
  #isChecked = false;
  #keeper: SessionKeeper | null = null;
  #session: GatewaySession | null = null;
  #voice: VoiceSignaling | null = null;
  #state: LoginState = { name: null, status: CONNECTING };
  #following: Promise<void> | null = null;

  constructor(deps: BotLoginDeps) {
    this.#deps = deps;
  }

  get state(): LoginState {
    return this.#state;
  }

  get rest(): DiscordRest {
    return this.#deps.rest;
  }

  get channels(): KnownChannels {
    return this.#deps.channels;
  }

  get applicationId(): string {
    return this.#deps.applicationId;
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
    return this.#deps.token === token;
  }

  /** Asks Discord whose token it is. Rejects with a DiscordFailure, or with what `claim` throws. */
  async logIn(): Promise<void> {
    const { rest, applicationId, claim, observer, key } = this.#deps;
    const identity = await identifyBot(rest, applicationId, this.#ending.signal);
    claim(identity.userId);
    const { missing } = identity.intents;
    if (missing.length > 0 && this.#identity === null)
      observer.log('warn', 'privileged intents are off for a Discord bot', { login: key, missing });
    this.#identity = identity;
    this.#isChecked = true;
    this.#become({ ...this.#state, name: identity.name });
  }

  /** Follows the bot's events in the background and retries after every failure. */
  follow(): void {
    this.#following ??= this.#follow(this.#ending.signal);
  }

  /** Resolves when the session is up for the first time or has failed, or after `withinMs`. */
  async settled(withinMs: number): Promise<void> {
    const cancel = this.#deps.clock.after(withinMs, () => this.#settled.resolve());
    await this.#settled.promise;
    cancel();
  }

  /** Discord has refused the token to a request. The gateway has the last word. */
  loggedOut(words: string): void {
    this.#become({ ...this.#state, status: words });
    this.#session?.reconnect();
  }

  /** Disconnects and waits for pending writes. The next process resumes the session. */
  async close(): Promise<void> {
    this.#ending.abort();
    this.#settled.resolve();
    await this.#following;
    await this.#keeper?.flushed();
    this.#deps.client.close();
  }

  /** Signs the bot off. What is kept of it is deleted. */
  async remove(): Promise<void> {
    this.#session?.signOff();
    await this.close();
    await this.#deps.records.forget(this.#deps.key);
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, client } = this.#deps;
    while (!signal.aborted) {
      let pauseMs = 0;
      try {
        client.retryToken();
        if (!this.#isChecked) await this.logIn();
        await this.#keepSession(signal);
      } catch (error) {
        if (signal.aborted) return;
        pauseMs = this.#pauseAfter(error);
      }
      this.#isChecked = false;
      await pause(clock, Math.max(pauseMs, this.#backoff.next()), signal);
    }
  }

  /** Resolves when the bot's owner has to do something; the state says what. */
  async #keepSession(signal: AbortSignal): Promise<void> {
    this.#session ??= await this.#openSession();
    const close = await this.#session.run(this.#identity!.intents.bits, signal);
    if (close !== null) this.#become({ ...this.#state, status: closeWords(close) });
  }

  #pauseAfter(error: unknown): number {
    const { observer } = this.#deps;
    const words = (error as Error).message;
    this.#become({ ...this.#state, status: words });
    if (!(error instanceof DiscordFailure)) {
      observer.log('error', 'a Discord bot could not be logged in', { err: error });
      return LOGGED_OUT_MS;
    }
    return error.isLoggedOut ? LOGGED_OUT_MS : error.afterMs;
  }

  async #openSession(): Promise<GatewaySession> {
    const { records, key, channels, token, clock, isEncrypted, rest, observer, followers } = this.#deps;
    const userId = this.#identity!.userId;
    await records.claim(key, userId);
    await channels.load();
    const keeper = new SessionKeeper(records, key, await records.session(key), (err) =>
      observer.log('error', 'a Discord session could not be stored', { err }),
    );
    this.#keeper = keeper;
    const session = new GatewaySession({
      rest,
      token,
      isEncrypted,
      clock,
      keeper,
      observer: this.#sessionObserver(),
    });
    this.#voice = new BotVoice(userId, rest, session, followers);
    return session;
  }

  #sessionObserver(): SessionObserver {
    return sessionObserver({
      ...this.#deps,
      signal: this.#ending.signal,
      receiving: () => this.receiving,
      up: () => {
        this.#backoff.reset();
        this.#deps.client.retryToken();
        this.#become({ ...this.#state, status: OK });
      },
      failed: (words) => this.#become({ ...this.#state, status: words }),
    });
  }

  /** The bot as a receiver of messages. */
  get receiving(): Receiving {
    const { userId, intents } = this.#identity!;
    return { userId, readsContent: intents.missing.length === 0 };
  }

  #become({ name, status: words }: LoginState): void {
    if (words !== CONNECTING) this.#settled.resolve();
    const status = words.replaceAll(this.#deps.token, HIDDEN_TOKEN);
    const former = this.#state;
    if (this.#ending.signal.aborted || (name === former.name && status === former.status)) return;
    this.#state = { name, status };
    this.#deps.onState(this.#state);
  }
}
