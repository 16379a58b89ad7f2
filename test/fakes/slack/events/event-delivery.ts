import { createHmac, randomBytes } from 'node:crypto';
import { KeyedQueue } from '../../../../src/base/keyed-queue.ts';
import type { FakeSockets } from './fake-sockets.ts';

/** Milliseconds before each further attempt. Slack waits not at all, a minute and five minutes. */
export type RetryDelays = readonly number[];

export const SLACK_RETRY_DELAYS: RetryDelays = [0, 60_000, 300_000];
const ANSWER_DEADLINE_MS = 3_000;

/** A request as the app gets it. */
export interface SignedRequest {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** An event on its way to the app. */
export interface Delivery {
  /** The app has acknowledged it. */
  readonly isAcknowledged: boolean;
}

/**
 * Posts events to the app's URL (https://docs.slack.dev/apis/events-api/): signed, up to four times. The events of a
 * channel follow each other, which Slack does not promise.
 */
export class EventDelivery {
  readonly #secret: string;
  readonly #retryDelays: RetryDelays;
  readonly #queue = new KeyedQueue();
  readonly #ending = new AbortController();
  #url: string | null = null;
  /** Present while the app is in Socket Mode, in which it gets no webhooks. */
  sockets: FakeSockets | null = null;
  /** Requests made so far. */
  attempts = 0;
  /** Events that Slack gave up on. */
  lost = 0;

  constructor(secret: string, retryDelays: RetryDelays) {
    this.#secret = secret;
    this.#retryDelays = retryDelays;
  }

  get hasUrl(): boolean {
    return this.#url !== null;
  }

  get url(): string {
    if (this.#url === null) throw new Error('the app has no request URL');
    return this.#url;
  }

  /** Sets the request URL, if it repeats the challenge. */
  async subscribe(url: string): Promise<void> {
    const challenge = randomBytes(24).toString('base64url');
    const { body, headers } = this.signed(
      JSON.stringify({ token: 'deprecated', challenge, type: 'url_verification' }),
    );
    const answer = await fetch(url, { method: 'POST', headers, body });
    const text = await answer.text();
    const echo = /^\s*\{/.test(text) ? (JSON.parse(text) as { challenge?: unknown }).challenge : text;
    if (answer.status !== 200 || echo !== challenge)
      throw new Error(
        `Your URL didn't respond with the value of the challenge parameter: ${answer.status} ${text}`,
      );
    this.#url = url;
  }

  /** Signs these bytes (https://docs.slack.dev/authentication/verifying-requests-from-slack). */
  signed(body: string, timestampS = Math.floor(Date.now() / 1_000)): SignedRequest {
    const digest = createHmac('sha256', this.#secret).update(`v0:${timestampS}:${body}`).digest('hex');
    return {
      body,
      headers: {
        'Content-Type': 'application/json',
        'User-Agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
        'X-Slack-Request-Timestamp': `${timestampS}`,
        'X-Slack-Signature': `v0=${digest}`,
      },
    };
  }

  /**
   * Delivers after what was handed in before under the same key. Without a URL, and not in Socket Mode, it is lost, as at
   * Slack.
   */
  deliver(key: string, envelope: object): Delivery {
    const delivery = { isAcknowledged: false };
    if (this.#url === null && this.sockets === null) {
      this.lost += 1;
      return delivery;
    }
    void this.#queue.run(key, async () => {
      delivery.isAcknowledged = await this.#insist(envelope);
      if (!delivery.isAcknowledged) this.lost += 1;
    });
    return delivery;
  }

  async settled(): Promise<void> {
    await this.#queue.settled();
  }

  close(): void {
    this.sockets?.close();
    this.#ending.abort();
  }

  async #insist(envelope: object): Promise<boolean> {
    const body = asSlackWrites(JSON.stringify(envelope));
    let reason = '';
    for (let attempt = 0; attempt <= this.#retryDelays.length; attempt++) {
      if (attempt > 0) await pause(this.#retryDelays[attempt - 1]!, this.#ending.signal);
      if (this.#ending.signal.aborted) return false;
      const retry =
        attempt === 0 ? {} : { 'X-Slack-Retry-Num': `${attempt}`, 'X-Slack-Retry-Reason': reason };
      const failure =
        this.sockets === null
          ? await this.#post(body, retry)
          : await this.sockets.deliver(envelope, attempt, reason);
      if (failure === null) return true;
      if (failure === 'no_retry') return false;
      reason = failure;
    }
    return false;
  }

  /** Returns Slack's word for what went wrong; null: the app has acknowledged the event. */
  async #post(body: string, retry: Readonly<Record<string, string>>): Promise<string | null> {
    this.attempts += 1;
    const request = this.signed(body);
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]);
    try {
      const answer = await fetch(this.url, {
        method: 'POST',
        headers: { ...request.headers, ...retry },
        body,
        signal,
      });
      await answer.arrayBuffer();
      if (answer.ok) return null;
      return answer.headers.get('x-slack-no-retry') === '1' ? 'no_retry' : 'http_error';
    } catch {
      return signal.aborted ? 'http_timeout' : 'connection_failed';
    }
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, durationMs);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}

/** Slack writes everything but ASCII as `\uXXXX`, and slashes as `\/`. */
function asSlackWrites(json: string): string {
  return json
    .replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replace(/\//g, '\\/');
}
