import { NO_MARK } from '../threads/ring-consumer.ts';
import { NOTE_CAPACITY } from '../threads/ring-layout.ts';

/** Marks that have left the ring and wait until the sample before them has left the fifo; first in, first out. */
export class DueMarks {
  readonly #markIds = new Int32Array(NOTE_CAPACITY);
  /** Number of samples that must have left. */
  readonly #dueAt = new Float64Array(NOTE_CAPACITY);
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get isFull(): boolean {
    return this.#count === NOTE_CAPACITY;
  }

  add(markId: number, dueAt: number): void {
    this.#markIds[this.#count] = markId;
    this.#dueAt[this.#count] = dueAt;
    this.#count++;
  }

  /** Takes the next mark that is due when `samplesLeft` have left; NO_MARK when none is. */
  take(samplesLeft: number): number {
    if (this.#count === 0 || (this.#dueAt[0] as number) > samplesLeft) return NO_MARK;
    const markId = this.#markIds[0] as number;
    this.#count--;
    this.#markIds.copyWithin(0, 1);
    this.#dueAt.copyWithin(0, 1);
    return markId;
  }

  clear(): void {
    this.#count = 0;
  }
}
