import type { ServerResponse } from 'node:http';

const WINDOW_MS = 600_000;
const COUNTED = [401, 403, 429];

/**
 * After so many refusals within ten minutes, Cloudflare bans the address
 * (https://docs.discord.com/developers/topics/rate-limits#invalid-request-limit-aka-cloudflare-bans).
 */
export class InvalidRequests {
  readonly #limit: number;
  readonly #nowMs: () => number;
  #times: number[] = [];

  constructor(limit: number, nowMs: () => number) {
    this.#limit = limit;
    this.#nowMs = nowMs;
  }

  /** Refusals of the last ten minutes. */
  get recent(): number {
    this.#times = this.#times.filter((timeMs) => timeMs > this.#nowMs() - WINDOW_MS);
    return this.#times.length;
  }

  get isBanned(): boolean {
    return this.recent >= this.#limit;
  }

  count(status: number): void {
    if (COUNTED.includes(status)) this.#times.push(this.#nowMs());
  }

  /** Cloudflare's own page, without any JSON. */
  answerBanned(response: ServerResponse): void {
    const retryAfterS = Math.ceil((this.#times[0]! + WINDOW_MS - this.#nowMs()) / 1_000);
    response.writeHead(429, { 'Content-Type': 'text/html; charset=UTF-8', 'Retry-After': retryAfterS });
    response.end(
      '<!doctype html><title>Access denied | discord.com used Cloudflare to restrict access</title>error code: 1015',
    );
  }
}
