import * as z from 'zod';
import { isDiskFull } from '../../base/errors.ts';
import { EventLoopLimit } from '../../base/event-loop-limit.ts';
import { type Clock, pause } from '../../base/time.ts';
import { PlatformFailure } from '../kit/platform-failure.ts';
import { joinAlbums, refetchFrom } from './albums.ts';
import { AnyUpdate } from './bot-api-types.ts';
import { type BotApi, Retries } from './client.ts';
import { READ_UPDATES, type Reading } from './update-reading.ts';
import type { TelegramObserver } from './update-receiver.ts';

/** Long-poll timeout: 50 s is the longest that Telegram waits. */
const LONG_POLL_S = 50;
const POLL_DEADLINE_MS = (LONG_POLL_S + 15) * 1_000;
const MAX_UPDATES = 100;
/** Delay before fetching the rest of an album. If polled sooner, Telegram returns one update at a time. */
const ALBUM_WAIT_MS = 700;
/** Retry limit for an update that fails to store. It is then skipped and lost, and later updates proceed. */
const MAX_TRIES = 20;

export interface UpdatePollerDeps {
  readonly api: BotApi;
  readonly clock: Clock;
  readonly observer: TelegramObserver;
  read(update: AnyUpdate): Reading;
  /** Resolves once the reading is on disk. */
  take(reading: Reading): Promise<void>;
  /** Called after each answer from Telegram; null means success. */
  heard(failure: PlatformFailure | null): void;
}

/**
 * Polls Telegram for updates (https://core.telegram.org/bots/api#getting-updates). An update is confirmed, by
 * requesting the ones after it, only once it is on disk.
 */
export class UpdatePoller {
  readonly #deps: UpdatePollerDeps;
  readonly #retries = new Retries();
  /** First unconfirmed update id; 0 starts wherever Telegram is. */
  #offset = 0;
  /** Id of the album whose remaining parts were waited for. */
  #waitedFor: string | null = null;
  #triesAtOffset = 0;
  /** A hundred updates may come at once, and each is stored by statements that answer synchronously. */
  readonly #limit = new EventLoopLimit(1);

  constructor(deps: UpdatePollerDeps) {
    this.#deps = deps;
  }

  /** Polls until the signal aborts and pending writes are done. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        await this.#round(signal);
        this.#retries.reset();
      } catch (error) {
        if (!signal.aborted) await this.#recover(error, signal);
      }
    }
  }

  async #round(signal: AbortSignal): Promise<void> {
    const { api, clock, heard } = this.#deps;
    const updates = await api.call(
      'getUpdates',
      {
        offset: this.#offset,
        limit: MAX_UPDATES,
        timeout: this.#waitedFor === null ? LONG_POLL_S : 0,
        allowed_updates: READ_UPDATES,
      },
      { deadlineMs: POLL_DEADLINE_MS, signal },
      z.array(AnyUpdate),
    );
    heard(null);
    const { readings, open } = joinAlbums(updates.map(this.#deps.read), this.#waitedFor);
    await this.#takeAll(readings);
    const last = updates.at(-1);
    this.#confirmUpTo(open ? open.fromUpdateId : last ? last.update_id + 1 : this.#offset);
    this.#waitedFor = open?.albumId ?? null;
    if (open) await pause(clock, ALBUM_WAIT_MS, signal);
  }

  /** Stores the readings in order. When one fails, it and everything after it are fetched again. */
  async #takeAll(readings: readonly Reading[]): Promise<void> {
    for (const [index, reading] of readings.entries()) {
      try {
        await this.#limit.enter();
        await this.#deps.take(reading);
      } catch (error) {
        this.#confirmUpTo(refetchFrom(readings, readings.slice(index)));
        this.#waitedFor = null;
        throw error;
      }
    }
  }

  #confirmUpTo(offset: number): void {
    if (offset !== this.#offset) this.#triesAtOffset = 0;
    this.#offset = offset;
  }

  async #recover(error: unknown, signal: AbortSignal): Promise<void> {
    const { clock, heard, observer } = this.#deps;
    if (error instanceof PlatformFailure) {
      heard(error);
      observer.count('poll_failed');
      if (await this.#tookWebhookAway(error, signal)) return;
      await pause(clock, this.#retries.after(error), signal);
    } else {
      this.#countTry(error);
      await pause(clock, this.#retries.next(), signal);
    }
  }

  #countTry(error: unknown): void {
    const { observer } = this.#deps;
    observer.count('update_failed');
    // A full disk is not the update's fault: Telegram keeps the update until there is space.
    if (isDiskFull(error)) return;
    observer.log('error', 'a Telegram update could not be stored', { err: error });
    this.#triesAtOffset += 1;
    if (this.#triesAtOffset < MAX_TRIES || this.#offset === 0) return;
    observer.count('update_skipped');
    this.#confirmUpTo(this.#offset + 1);
  }

  /** Removes a webhook that we or someone else set earlier; a bot cannot use a webhook and polling at once. */
  async #tookWebhookAway(failure: PlatformFailure, signal: AbortSignal): Promise<boolean> {
    if (failure.status !== 409 || !/webhook is active/.test(failure.message)) return false;
    try {
      await this.#deps.api.call('deleteWebhook', {}, { deadlineMs: POLL_DEADLINE_MS, signal }, z.unknown());
      return true;
    } catch {
      return false;
    }
  }
}
