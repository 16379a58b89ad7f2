import { createHmac } from 'node:crypto';
import { readAnswer } from '../../base/answer-body.ts';
import { networkCode, neverArrived } from '../../base/network-error.ts';
import { platformJson } from '../../base/platform-json.ts';
import type { Clock } from '../../base/time.ts';
import { pause, withDeadline } from '../../base/waits.ts';

/** Version of what the gateway posts, and of what the bridge answers. */
const VERSION = 1;
const ATTEMPT_MS = 10_000;
const PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
const ANSWER_LIMIT_BYTES = 65_536;
/** Errors before anything was sent. */

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
  #problem: string | null = null;

  constructor(options: BridgeClientOptions, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Why the last post was not answered; null: it was, or there was none. */
  get problem(): string | null {
    return this.#problem;
  }

  /** Posts once. Never rejects. */
  async tell(message: object, signal: AbortSignal): Promise<Told> {
    const told = signal.aborted
      ? ({ kind: 'later', reason: 'The time was over', afterMs: PAUSE_MS } as const)
      : await withDeadline(this.#clock, ATTEMPT_MS, signal, (limit) => this.#post(message, limit));
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
      const answer = await fetch(this.#options.url, { ...this.#request(message), signal });
      return await toldBy(answer);
    } catch (error) {
      return failed(error, signal.aborted);
    }
  }

  #request(message: object): RequestInit {
    const { key } = this.#options;
    const body = JSON.stringify({ version: VERSION, ...message });
    const timestamp = `${Math.floor(Date.parse(this.#clock.nowIso()) / 1_000)}`;
    const signature = createHmac('sha256', key).update(`${timestamp}.${body}`).digest('hex');
    const headers = {
      'content-type': 'application/json',
      'x-svc-timestamp': timestamp,
      'x-svc-signature': signature,
    };
    return { method: 'POST', headers, body, redirect: 'error' };
  }
}

async function toldBy(answer: Response): Promise<Told> {
  const body = await readAnswer(answer, ANSWER_LIMIT_BYTES);
  const { status } = answer;
  const reason = `The bridge answered ${status}`;
  if (answer.ok) {
    const json = platformJson(body);
    if (json === undefined) return { kind: 'unclear', reason: 'The answer of the bridge cannot be read' };
    return { kind: 'answered', answer: json };
  }
  if (status === 429 || status === 503) return { kind: 'later', reason, afterMs: retryAfterMs(answer) };
  return status >= 500 || status === 408 ? { kind: 'unclear', reason } : { kind: 'refused', reason };
}

/** `Retry-After` in seconds. A bridge that names a date gets the default. */
function retryAfterMs({ headers }: Response): number {
  const seconds = Number(headers.get('retry-after') ?? '');
  if (!(seconds > 0)) return PAUSE_MS;
  return Math.min(seconds * 1_000, MAX_PAUSE_MS);
}

function failed(error: unknown, isLate: boolean): Told {
  if (isLate) return { kind: 'unclear', reason: 'The bridge did not answer in time' };
  const code = networkCode(error);
  const reason = `The bridge could not be reached: ${code || (error as Error).message}`;
  return neverArrived(code) ? { kind: 'later', reason, afterMs: PAUSE_MS } : { kind: 'unclear', reason };
}
