import type { Dispatch } from './gateway-payload.ts';

/** Events that wait to be handled. Beyond that the connection is dropped, and Discord repeats them when it resumes. */
const MAX_PENDING = 2_000;

export interface EventQueueDeps {
  /** Resolves once the event is on disk. */
  take(event: Dispatch): Promise<void>;
  /** Called after each event. */
  handled(sequence: number): void;
  /** The event could not be handled, or too many are waiting. Nothing else is handled. */
  failed(event: Dispatch, error: unknown): void;
}

/** Handles the events of one connection, one after the other. */
export class EventQueue {
  readonly #deps: EventQueueDeps;
  #pending: Dispatch[] = [];
  #running: Promise<void> | null = null;
  #isOver = false;

  constructor(deps: EventQueueDeps) {
    this.#deps = deps;
  }

  push(event: Dispatch): void {
    if (this.#isOver) return;
    if (this.#pending.length >= MAX_PENDING)
      return this.#fail(event, new Error('too many events are waiting'));
    this.#pending.push(event);
    this.#running ??= this.#run();
  }

  /** Forgets what is waiting. Resolves when the event in progress is handled. */
  async close(): Promise<void> {
    this.#isOver = true;
    this.#pending = [];
    await this.#running;
  }

  async #run(): Promise<void> {
    for (let event = this.#pending.shift(); event !== undefined; event = this.#pending.shift()) {
      try {
        await this.#deps.take(event);
        this.#deps.handled(event.sequence);
      } catch (error) {
        this.#fail(event, error);
      }
    }
    this.#running = null;
  }

  #fail(event: Dispatch, error: unknown): void {
    this.#isOver = true;
    this.#pending = [];
    this.#deps.failed(event, error);
  }
}
