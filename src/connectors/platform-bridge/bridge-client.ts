import { createHmac } from 'node:crypto';
import { type Clock, pause } from '../../base/time.ts';
import { platformFailure } from '../kit/platform-failure.ts';
import { type HttpAnswer, type HttpRequest, PlatformHttp } from '../kit/platform-http.ts';

/** Version of what the gateway posts, and of what the bridge answers. */
const VERSION = 1;
const ATTEMPT_MS = 10_000;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const MAX_ANSWER_BYTES = 65_536;

export interface BridgeClientOptions {
  readonly url: string;
  readonly key: string;
}

/** What became of a post to the bridge. Each but `answered` has a reason for people. */
export type Told =
  | { readonly kind: 'answered'; readonly answer: unknown }
  /** The bridge refused it for good. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The bridge has not accepted it. */
  | { readonly kind: 'later'; readonly reason: string; readonly afterMs: number }
  /** The bridge may have accepted it. */
  | { readonly kind: 'unclear'; readonly reason: string };

/**
 * Posts to the platform bridge. Each body is signed with the key over its time, as webhooks usually are: HMAC-SHA256 of
 * `<X-Svc-Timestamp>.<body>` in hex, in `X-Svc-Signature`.
 */
export class BridgeClient {
  readonly #options: BridgeClientOptions;
  readonly #clock: Clock;
  readonly #http: PlatformHttp;
  #problem: string | null = null;

  constructor(options: BridgeClientOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
    this.#http = new PlatformHttp('The bridge', clock, MAX_ANSWER_BYTES);
  }

  /** Why the last post was not answered; null: it was, or there was none. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Posts once. Never rejects. */
  async tell(message: object, signal: AbortSignal): Promise<Told> {
    const told = signal.aborted
      ? ({ kind: 'later', reason: 'The time was over', afterMs: PAUSE_MS } as const)
      : await this.#post(message, signal);
    this.#problem = told.kind === 'answered' ? null : told.reason;
    return told;
  }

  /**
   * Posts until the bridge answers or refuses, or `signal` aborts. A bridge that has not accepted anything yet is asked
   * again, or `later` is returned. Never rejects.
   */
  async insist(message: object, signal: AbortSignal, onLater: 'repeat' | 'return'): Promise<Told> {
    for (let doubt: Told | null = null; ; ) {
      const told = await this.tell(message, signal);
      if (told.kind === 'answered' || told.kind === 'refused') return told;
      if (told.kind === 'later' && doubt === null && onLater === 'return') return told;
      if (told.kind === 'unclear') doubt = told;
      await pause(this.#clock, told.kind === 'later' ? told.afterMs : PAUSE_MS, signal);
      if (signal.aborted) return doubt ?? told;
    }
  }

  async #post(message: object, signal: AbortSignal): Promise<Told> {
    try {
      return toldBy(await this.#http.ask({ ...this.#request(message), deadlineMs: ATTEMPT_MS, signal }));
    } catch (error) {
      const { kind, message: reason } = platformFailure('The bridge', error);
      return kind === 'unreachable'
        ? { kind: 'later', reason, afterMs: PAUSE_MS }
        : { kind: 'unclear', reason };
    }
  }

  #request(message: object): HttpRequest {
    const { url, key } = this.#options;
    const body = JSON.stringify({ version: VERSION, ...message });
    const timestamp = `${Math.floor(Date.parse(this.#clock.nowIso()) / 1_000)}`;
    const headers = {
      'content-type': 'application/json',
      'x-svc-timestamp': timestamp,
      'x-svc-signature': createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex'),
    };
    return { method: 'POST', url, headers, body };
  }
}

function toldBy({ isOk, status, json, retryAfterMs }: HttpAnswer): Told {
  const reason = `The bridge answered ${status}`;
  if (isOk)
    return json === undefined
      ? { kind: 'unclear', reason: 'The answer of the bridge cannot be read' }
      : { kind: 'answered', answer: json };
  if (status === 429 || status === 503)
    return { kind: 'later', reason, afterMs: Math.min(retryAfterMs || PAUSE_MS, MAX_PAUSE_MS) };
  return status >= 500 || status === 408 ? { kind: 'unclear', reason } : { kind: 'refused', reason };
}
