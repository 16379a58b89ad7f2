import { KeyedQueue } from '../../../../src/base/keyed-queue.ts';

/** Milliseconds before each further attempt. */
export type RetryDelays = readonly number[];

/** Assumed: Microsoft does not document when an activity is repeated. */
export const RETRY_DELAYS: RetryDelays = [1_000, 5_000, 15_000];
const ANSWER_DEADLINE_MS = 15_000;

/** An activity on its way to the bot. */
export interface Delivery {
  readonly isAcknowledged: boolean;
  /** The bot's answer to an invoke. Settles with the delivery. */
  readonly answer: Promise<unknown>;
}

export interface DeliveryDeps {
  readonly retryDelays: RetryDelays;
  token(): Promise<string>;
}

/** Posts activities to the bot's messaging endpoint: those of a conversation one after the other. */
export class ActivityDelivery {
  readonly #deps: DeliveryDeps;
  readonly #queue = new KeyedQueue();
  readonly #ending = new AbortController();
  /** The bot's messaging endpoint. */
  url: string | null = null;
  /** Activities that Teams gave up on. */
  lost = 0;

  constructor(deps: DeliveryDeps) {
    this.#deps = deps;
  }

  deliver(conversationId: string, activity: object): Delivery {
    const state = { isAcknowledged: false };
    const answer = this.#queue.run(conversationId, async () => {
      const [isTaken, body] = await this.#insist(JSON.stringify(activity));
      state.isAcknowledged = isTaken;
      if (!isTaken) this.lost += 1;
      return body;
    });
    return Object.assign(state, { answer });
  }

  async settled(): Promise<void> {
    await this.#queue.settled();
  }

  close(): void {
    this.#ending.abort();
  }

  async #insist(body: string): Promise<readonly [boolean, unknown]> {
    const { retryDelays } = this.#deps;
    for (let attempt = 0; attempt <= retryDelays.length; attempt++) {
      if (attempt > 0) await pause(retryDelays[attempt - 1]!, this.#ending.signal);
      if (this.#ending.signal.aborted || this.url === null) break;
      const answer = await this.#post(this.url, body);
      if (answer === null || answer.status >= 500) continue;
      return [answer.status < 300, answer.body];
    }
    return [false, null];
  }

  async #post(url: string, body: string): Promise<{ status: number; body: unknown } | null> {
    const signal = AbortSignal.any([this.#ending.signal, AbortSignal.timeout(ANSWER_DEADLINE_MS)]);
    try {
      const headers = {
        authorization: `Bearer ${await this.#deps.token()}`,
        'content-type': 'application/json; charset=utf-8',
        'user-agent': 'Microsoft-SkypeBotApi (Microsoft-BotFramework/3.0)',
      };
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      const text = await answer.text();
      return { status: answer.status, body: /^\s*[[{]/.test(text) ? JSON.parse(text) : text };
    } catch {
      return null;
    }
  }
}

function pause(durationMs: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, durationMs);
  signal.addEventListener('abort', () => resolve(), { once: true });
  return promise.finally(() => clearTimeout(timer));
}
