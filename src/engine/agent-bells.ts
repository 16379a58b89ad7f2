import { Doorbell } from '../rings/doorbell.ts';
import type { AgentBell } from '../threads/protocol.ts';

/** The doorbells of the threads on which agents wait for ticks: the main thread's, and those of their sockets. */
export class AgentBells {
  readonly #main = new Doorbell();
  readonly #others = new Map<number, Doorbell>();
  /** Those to ring after this tick: the first `#dueCount`. */
  readonly #due: Doorbell[] = [];
  #dueCount = 0;

  get mainMemory(): SharedArrayBuffer {
    return this.#main.memory;
  }

  /** Null: the main thread's. */
  of(bell: AgentBell | null): Doorbell {
    if (bell === null) return this.#main;
    const known = this.#others.get(bell.id) ?? new Doorbell(bell.memory);
    this.#others.set(bell.id, known);
    return known;
  }

  /** Has it ring after the tick. */
  add(bell: Doorbell): void {
    for (let i = 0; i < this.#dueCount; i++) if (this.#due[i] === bell) return;
    this.#due[this.#dueCount] = bell;
    this.#dueCount++;
  }

  ring(bits: number): void {
    for (let i = 0; i < this.#dueCount; i++) this.#due[i]!.ring(bits);
    this.#dueCount = 0;
  }
}
