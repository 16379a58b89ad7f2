import { createHmac } from 'node:crypto';
import * as z from 'zod';
import type { LoginRef } from '../../base/address.ts';
import { isDiskFull } from '../../base/errors.ts';
import { isSameSecret } from '../../base/ids.ts';
import { platformJson } from '../../base/platform-json.ts';
import { type Clock, pause } from '../../base/time.ts';
import type { LoginState } from '../contract/login.ts';
import type { MessageIntake } from '../contract/messenger.ts';
import type { PlatformRecords } from '../contract/records.ts';
import type { WebhookReply } from '../contract/webhooks.ts';
import { LOGIN_OK, LoginStatus } from '../kit/login-check.ts';
import type { PlatformFailure } from '../kit/platform-failure.ts';
import { AlbumBuffer } from './albums.ts';
import { AnyUpdate, User } from './bot-api-types.ts';
import { type BotApi, failureOf, Retries } from './client.ts';
import { UpdatePoller } from './update-poller.ts';
import { isPrivate, READ_UPDATES, type Reading, readingOf } from './update-reading.ts';
import { type TelegramObserver, UpdateReceiver } from './update-receiver.ts';

const CALL_DEADLINE_MS = 15_000;

export interface TelegramLoginDeps {
  readonly ref: LoginRef;
  readonly api: BotApi;
  readonly clock: Clock;
  readonly intake: MessageIntake;
  /** Key of the login in records and webhook URLs. */
  readonly key: string;
  readonly records: PlatformRecords;
  readonly observer: TelegramObserver;
  /** URL to which Telegram delivers updates; null to poll for them. */
  readonly webhookUrl: (() => string) | null;
  /** Seed of the webhook secret: the token itself. */
  readonly webhookSeed: string;
  readonly onState: (state: LoginState) => void;
}

/** Login of one bot, whose updates are received until it is closed. */
export class TelegramLogin extends LoginStatus {
  readonly api: BotApi;
  readonly #deps: TelegramLoginDeps;
  readonly #receiver: UpdateReceiver;
  readonly #albums: AlbumBuffer;
  readonly #retries = new Retries();
  #following: Promise<void> | null = null;
  /** Null: not known yet. */
  #username: string | null = null;
  readonly #read = (update: AnyUpdate): Reading =>
    readingOf(update, { id: this.api.botId, username: this.#username });

  constructor(deps: TelegramLoginDeps) {
    super(deps.onState);
    this.api = deps.api;
    this.#deps = deps;
    this.#receiver = new UpdateReceiver(deps);
    this.#albums = new AlbumBuffer({
      ...deps,
      take: (reading) => this.#receiver.take(reading),
      onFailure: (error) => this.#couldNotStore(error),
    });
  }

  /** Calls `getMe` once. Rejects with a PlatformFailure. */
  async logIn(): Promise<void> {
    const { signal } = this;
    const me = await this.api.call('getMe', {}, { deadlineMs: CALL_DEADLINE_MS, signal }, User);
    this.#username = me.username ?? '';
    this.become({ name: me.username ? `@${me.username}` : (me.first_name ?? null), status: LOGIN_OK });
  }

  couldNotLogIn(error: unknown): void {
    this.heard(failureOf(error));
  }

  /** Receives the bot's updates in the background and retries after every failure. */
  follow(): void {
    this.#albums.load().catch((error: unknown) => this.#couldNotStore(error));
    this.#following ??= this.#follow(this.signal);
  }

  /** A group has become a supergroup, as Telegram says when something is sent to it. */
  async migrated(fromId: string, toId: string): Promise<void> {
    await this.#receiver.take({ kind: 'migrated', updateId: 0, fromId, toId });
  }

  /** Updates the state from the result of one of the bot's requests. */
  heard(failure: PlatformFailure | null): void {
    if (failure === null) this.become({ status: LOGIN_OK });
    else if (failure.kind === 'later') this.#deps.observer.count('throttled');
    else this.become({ status: failure.message });
  }

  /** Refuses webhook requests that are not from Telegram. The secret is in a header, so the body need not be read. */
  refusesWebhook(secret: string): WebhookReply | null {
    const { observer, webhookUrl } = this.#deps;
    if (webhookUrl === null) return { status: 404, text: 'No webhook is set' };
    if (isSameSecret(secret, this.#webhookSecret)) return null;
    observer.count('webhook_refused');
    return { status: 401, text: 'Wrong secret' };
  }

  /** Handles a webhook request. It is acknowledged once the update is on disk; otherwise Telegram sends it again. */
  async takeWebhook(secret: string, body: Uint8Array): Promise<WebhookReply> {
    const refusal = this.refusesWebhook(secret);
    if (refusal) return refusal;
    const { data: update } = AnyUpdate.safeParse(platformJson(body));
    if (!update) return { status: 400, text: 'Not an update' };
    // Telegram sends it again.
    if (this.#username === null && !isPrivate(update)) return { status: 503, text: 'Not logged in yet' };
    try {
      await this.#albums.take(this.#read(update));
      return { status: 200, text: '' };
    } catch (error) {
      this.#couldNotStore(error);
      return { status: 503, text: 'Not stored' };
    }
  }

  /** Stops receiving and waits for pending writes. The webhook stays set, so Telegram keeps new updates. */
  override async close(): Promise<void> {
    await super.close();
    await this.#following;
    await this.#albums.close();
  }

  #couldNotStore(error: unknown): void {
    const { observer } = this.#deps;
    observer.count('update_failed');
    if (!isDiskFull(error)) observer.log('error', 'a Telegram update could not be stored', { err: error });
  }

  async #follow(signal: AbortSignal): Promise<void> {
    const { clock, observer, webhookUrl } = this.#deps;
    while (!signal.aborted) {
      try {
        if (this.state.name === null) await this.logIn();
        if (webhookUrl === null) break;
        await this.#setWebhook(webhookUrl());
        return;
      } catch (error) {
        if (!signal.aborted) await this.#recover(failureOf(error), signal);
      }
    }
    const poller = new UpdatePoller({
      api: this.api,
      clock,
      observer,
      read: this.#read,
      take: (reading) => this.#receiver.take(reading),
      heard: (failure) => this.heard(failure),
    });
    await poller.run(signal);
  }

  async #recover(failure: PlatformFailure, signal: AbortSignal): Promise<void> {
    this.heard(failure);
    await pause(this.#deps.clock, this.#retries.after(failure), signal);
  }

  async #setWebhook(url: string): Promise<void> {
    const parameters = { url, secret_token: this.#webhookSecret, allowed_updates: READ_UPDATES };
    const options = { deadlineMs: CALL_DEADLINE_MS, signal: this.signal };
    await this.api.call('setWebhook', parameters, options, z.unknown());
  }

  /** Secret that only the token's owner can compute. It stays the same across restarts. */
  get #webhookSecret(): string {
    return createHmac('sha256', this.#deps.webhookSeed).update('webhook').digest('base64url');
  }
}
