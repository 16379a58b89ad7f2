import type { Clock } from '../../base/time.ts';
import { settledWithin, withDeadline } from '../../base/waits.ts';
import type { ModelClient } from '../../models/model-client.ts';
import type { ModelMemory } from '../../models/model-memory.ts';

/** Limit of conversations that wait to be deleted. Further ones stay at the provider. */
const MAX_WAITING = 1_000;
const MAX_AT_ONCE = 4;
const FORGET_MS = 10_000;

interface Forgotten {
  readonly client: ModelClient;
  readonly memory: ModelMemory;
}

/** Deletes conversations at providers in the background, as well as it can: nothing depends on it. */
export class Forgetting {
  readonly #clock: Clock;
  readonly #onSkipped: () => void;
  readonly #waiting: Forgotten[] = [];
  readonly #closed = new AbortController();
  readonly #running = new Set<Promise<void>>();

  /** `onSkipped` is called for each conversation that could not be deleted. */
  constructor(clock: Clock, onSkipped: () => void) {
    this.#clock = clock;
    this.#onSkipped = onSkipped;
  }

  add(client: ModelClient, memory: ModelMemory): void {
    if (this.#closed.signal.aborted || this.#waiting.length >= MAX_WAITING) return this.#onSkipped();
    this.#waiting.push({ client, memory });
    if (this.#running.size < MAX_AT_ONCE) this.#start();
  }

  /** Lets deletions under way end for up to `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    await settledWithin(this.#clock, deadlineMs, [...this.#running]);
    this.#closed.abort();
    await Promise.all(this.#running);
  }

  #start(): void {
    const run = this.#run().finally(() => this.#running.delete(run));
    this.#running.add(run);
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    for (let next = this.#waiting.shift(); next && !signal.aborted; next = this.#waiting.shift()) {
      const { client, memory } = next;
      try {
        await withDeadline(this.#clock, FORGET_MS, signal, (limit) => client.forget(memory, limit));
      } catch {
        this.#onSkipped();
      }
    }
  }
}
