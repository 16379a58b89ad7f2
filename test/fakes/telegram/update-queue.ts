import { ApiError } from './api-error.ts';

export interface FakeUpdate {
  readonly update_id: number;
  readonly [kind: string]: unknown;
}

/** What `getUpdates` is asked with. */
export interface PollRequest {
  readonly offset?: number;
  readonly limit?: number;
  readonly timeout?: number;
}

/** A poll of the same updates so soon after the last one gets but one of them (Client.cpp, getUpdates). */
const HASTE_MS = 500;
const MAX_TIMEOUT_S = 50;
const TERMINATED =
  'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running';

interface WaitingPoll {
  answer(updates: readonly FakeUpdate[]): void;
  refuse(error: ApiError): void;
}

/** The pending updates of a bot: an update is removed when a later one is requested. */
export class UpdateQueue {
  #updates: FakeUpdate[] = [];
  /** Like Telegram's, ids start at an arbitrary number. */
  #nextId = 100_000 + Math.floor(Math.random() * 1_000);
  #waiting: WaitingPoll | null = null;
  #lastOffset = -1;
  #lastPollMs = 0;

  get pending(): readonly FakeUpdate[] {
    return this.#updates;
  }

  add(kind: string, content: unknown): FakeUpdate {
    const update = { update_id: this.#nextId, [kind]: content };
    this.#nextId += 1;
    this.#updates.push(update);
    this.#waiting?.answer(this.#updates.slice(0, 1));
    return update;
  }

  /** It was taken by a webhook. */
  remove(update: FakeUpdate): void {
    this.#updates = this.#updates.filter((each) => each !== update);
  }

  /** Forgets them all. */
  drop(): void {
    this.#updates = [];
  }

  /** Answers at once when there is something, else when something comes, or after the timeout. */
  poll(
    { offset = 0, limit = 100, timeout = 0 }: PollRequest,
    gone: AbortSignal,
  ): Promise<readonly FakeUpdate[]> {
    this.interrupt(new ApiError(409, TERMINATED));
    const nowMs = performance.now();
    const isHasty = offset === this.#lastOffset && nowMs < this.#lastPollMs + HASTE_MS;
    this.#lastOffset = offset;
    this.#lastPollMs = nowMs;
    if (offset > 0) this.#updates = this.#updates.filter(({ update_id: id }) => id >= offset);
    else if (offset < 0) this.#updates = this.#updates.slice(offset);
    const most = isHasty ? 1 : Math.min(100, Math.max(1, limit));
    if (this.#updates.length > 0) return Promise.resolve(this.#updates.slice(0, most));
    return this.#wait(Math.min(MAX_TIMEOUT_S, timeout) * 1_000, gone);
  }

  /** Ends the poll that waits. */
  interrupt(error: ApiError): void {
    this.#waiting?.refuse(error);
  }

  #wait(durationMs: number, gone: AbortSignal): Promise<readonly FakeUpdate[]> {
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        clearTimeout(timer);
        if (this.#waiting === waiting) this.#waiting = null;
      };
      const waiting: WaitingPoll = {
        answer: (updates) => {
          finish();
          resolve(updates);
        },
        refuse: (error) => {
          finish();
          reject(error);
        },
      };
      const timer = setTimeout(() => waiting.answer([]), durationMs);
      gone.addEventListener('abort', finish, { once: true });
      this.#waiting = waiting;
    });
  }
}
