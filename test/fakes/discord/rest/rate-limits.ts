import { createHash } from 'node:crypto';

/** So many requests within so long. */
export interface RateLimit {
  readonly count: number;
  readonly windowMs: number;
}

/** By the names of routes; `global`: all requests of a bot; `other`: routes that are not named. */
export type RateLimitTable = Readonly<Record<string, RateLimit>>;

/**
 * Discord publishes only the global limit and says nothing about routes. Those of messages and of typing are what its servers
 * have told clients for years; `other` is made up.
 */
export const USUAL_LIMITS = {
  global: { count: 50, windowMs: 1_000 },
  createMessage: { count: 5, windowMs: 5_000 },
  editMessage: { count: 5, windowMs: 5_000 },
  deleteMessage: { count: 5, windowMs: 1_000 },
  getMessages: { count: 5, windowMs: 5_000 },
  triggerTyping: { count: 5, windowMs: 5_000 },
  createDm: { count: 10, windowMs: 10_000 },
  other: { count: 30, windowMs: 5_000 },
} as const satisfies RateLimitTable;

interface Bucket {
  left: number;
  resetAtMs: number;
}

/** What a request is told about its limit. */
export interface Allowance {
  readonly isExceeded: boolean;
  readonly scope: 'user' | 'global';
  /** Seconds until the window ends. */
  readonly resetAfterS: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Buckets of requests: one for each bot, route and channel, and one for all requests of a bot. */
export class RateLimits {
  readonly #table: RateLimitTable;
  readonly #nowMs: () => number;
  readonly #buckets = new Map<string, Bucket>();

  constructor(table: RateLimitTable, nowMs: () => number) {
    this.#table = table;
    this.#nowMs = nowMs;
  }

  /** Counts a request. `place`: id of the channel or guild that it concerns. */
  count(owner: string, route: string, place: string): Allowance {
    const { count, windowMs } = this.#table.global!;
    const all = this.#take(`${owner}`, count, windowMs);
    if (all.isExceeded) return { ...all, scope: 'global', headers: {} };
    const limit = this.#table[route] ?? this.#table.other!;
    const own = this.#take(`${owner} ${route} ${place}`, limit.count, limit.windowMs);
    const headers = {
      'X-RateLimit-Limit': String(limit.count),
      'X-RateLimit-Remaining': String(own.left),
      'X-RateLimit-Reset': (own.resetAtMs / 1_000).toFixed(3),
      'X-RateLimit-Reset-After': own.resetAfterS.toFixed(3),
      'X-RateLimit-Bucket': createHash('md5').update(route).digest('hex'),
    };
    return { ...own, scope: 'user', headers };
  }

  #take(key: string, count: number, windowMs: number) {
    const nowMs = this.#nowMs();
    const known = this.#buckets.get(key);
    const bucket = known && known.resetAtMs > nowMs ? known : { left: count, resetAtMs: nowMs + windowMs };
    this.#buckets.set(key, bucket);
    const isExceeded = bucket.left === 0;
    if (!isExceeded) bucket.left -= 1;
    return { ...bucket, isExceeded, resetAfterS: (bucket.resetAtMs - nowMs) / 1_000 };
  }
}
