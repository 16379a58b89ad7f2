import type { FakeUpdate, UpdateQueue } from './update-queue.ts';

export interface WebhookTarget {
  readonly url: string;
  readonly secretToken: string | undefined;
}

/**
 * Brings updates to a bot's webhook: in their order, the next one when the one before it was taken, and again after a
 * while when the answer is no 2xx.
 */
export class Webhook {
  readonly target: WebhookTarget;
  readonly #queue: UpdateQueue;
  readonly #retryMs: number;
  readonly #ending = new AbortController();
  #isBringing = false;
  lastError: string | null = null;

  constructor(target: WebhookTarget, queue: UpdateQueue, retryMs: number) {
    this.target = target;
    this.#queue = queue;
    this.#retryMs = retryMs;
  }

  /** Brings what waits. */
  wake(): void {
    if (!this.#isBringing) void this.#bringAll();
  }

  close(): void {
    this.#ending.abort();
  }

  async #bringAll(): Promise<void> {
    this.#isBringing = true;
    for (;;) {
      const [update] = this.#queue.pending;
      if (!update || this.#ending.signal.aborted) break;
      if (await this.#bring(update)) this.#queue.remove(update);
      else await new Promise((resolve) => setTimeout(resolve, this.#retryMs));
    }
    this.#isBringing = false;
  }

  async #bring(update: FakeUpdate): Promise<boolean> {
    const { url, secretToken } = this.target;
    try {
      const { status } = await fetch(url, {
        method: 'POST',
        signal: this.#ending.signal,
        headers: {
          'Content-Type': 'application/json',
          ...(secretToken === undefined ? {} : { 'X-Telegram-Bot-Api-Secret-Token': secretToken }),
        },
        body: JSON.stringify(update),
      });
      this.lastError = status >= 200 && status < 300 ? null : `Wrong response from the webhook: ${status}`;
    } catch (error) {
      this.lastError = `Connection failed: ${error}`;
    }
    return this.lastError === null;
  }
}
