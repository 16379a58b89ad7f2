import { NO_MARK } from '../rings/ring-consumer.ts';
import { NOTE_CAPACITY } from '../rings/ring-layout.ts';

/** Marks that have left the ring and wait until the samples before them have left the fifo. First in, first out. */
export class DueMarks {
  /** Each mark with the number of samples that must have left before it is due. */
  readonly #due: { readonly markId: number; readonly dueAt: number }[] = [];

  get isEmpty(): boolean {
    return this.#due.length === 0;
  }

  get isFull(): boolean {
    return this.#due.length === NOTE_CAPACITY;
  }

  add(markId: number, dueAt: number): void {
    this.#due.push({ markId, dueAt });
  }

  /** Takes the next mark that is due when `samplesLeft` have left; NO_MARK when none is. */
  take(samplesLeft: number): number {
    const next = this.#due[0];
    if (next === undefined || next.dueAt > samplesLeft) return NO_MARK;
    this.#due.shift();
    return next.markId;
  }

  clear(): void {
    this.#due.length = 0;
  }
}
