import { Backoff, type Clock, pause } from '../../../base/time.ts';
import { PlatformFailure } from '../../kit/platform-failure.ts';
import type { DiscordRest } from '../client.ts';

/** Discord takes one Identify per bot in five seconds. */
const FIRST_PAUSE_MS = 5_000;
const LONGEST_PAUSE_MS = 900_000;
/** A session that held this long is not part of a series of failures. At worst a bot identifies 288 times a day. */
const STABLE_MS = 300_000;
const MAX_WAIT_MS = 3_600_000;

/**
 * Keeps a bot within its new sessions per day: Discord resets the token of a bot that identifies more than 1,000 times
 * in 24 hours.
 */
export class IdentifyBudget {
  readonly #rest: Pick<DiscordRest, 'gatewayBot'>;
  readonly #clock: Clock;
  readonly #backoff = new Backoff(FIRST_PAUSE_MS, LONGEST_PAUSE_MS);
  #lastMs: number | null = null;
  readonly #protocol: string;

  /** `isEncrypted`: whether the token may only be sent over TLS. */
  constructor(rest: Pick<DiscordRest, 'gatewayBot'>, clock: Clock, isEncrypted: boolean) {
    this.#rest = rest;
    this.#clock = clock;
    this.#protocol = isEncrypted ? 'wss:' : 'ws:';
  }

  /** Waits until the bot may identify and returns where. Null: `signal` has aborted. Rejects with a PlatformFailure. */
  async nextUrl(signal: AbortSignal): Promise<string | null> {
    await this.#space(signal);
    if (signal.aborted) return null;
    const { url, session_start_limit: limit } = await this.#rest.gatewayBot(signal);
    if (limit.remaining < 1) throw noSessions(limit.reset_after);
    if (!this.isGateway(url)) throw new PlatformFailure('unclear', 'Discord named an unusable URL');
    return url;
  }

  /** The bot has identified. */
  spent(): void {
    this.#lastMs = this.#clock.monotonicMs();
  }

  /** Whether the token may be sent to this URL. */
  isGateway(url: string): boolean {
    return URL.canParse(url) && new URL(url).protocol === this.#protocol;
  }

  async #space(signal: AbortSignal): Promise<void> {
    if (this.#lastMs === null) return;
    const sinceMs = this.#clock.monotonicMs() - this.#lastMs;
    if (sinceMs > STABLE_MS) this.#backoff.reset();
    else await pause(this.#clock, Math.max(FIRST_PAUSE_MS, this.#backoff.next()) - sinceMs, signal);
  }
}

function noSessions(resetMs: number): PlatformFailure {
  const afterMs = Math.min(Math.max(resetMs, FIRST_PAUSE_MS), MAX_WAIT_MS);
  const minutes = Math.ceil(resetMs / 60_000);
  return new PlatformFailure('later', `No sessions left at Discord for the next ${minutes} minutes`, {
    afterMs,
  });
}
