import { threadUse } from './base/thread-use.ts';
import type { CancelTimer, Clock } from './base/time.ts';
import { loadMediaIo } from './native/media-io.ts';

/**
 * Interval of returning memory to the system. Frequent enough for process monitoring, and rare enough to cost little:
 * each run takes some milliseconds of a core.
 */
const INTERVAL_MS = 60_000;
/** V8 has finished a requested collection by then. */
const REDUCED_MS = 5_000;
/** Growth of resident memory that justifies a collection. */
const WORTHWHILE_BYTES = 8 * 2 ** 20;
/** A busier main thread would soon need the memory again, and needs the time for its work. */
const MAX_UTILIZATION = 0.5;

/** Memory and load of a process. */
export interface ProcessMemory {
  residentBytes(): number;
  /** Share of the time since the last call that the main thread was busy. */
  utilization(): number;
  giveHeapBack(): void;
  reduceObjectHeap(): void;
}

/**
 * Returns unused memory to the system periodically. Otherwise the process would keep the memory of a burst for good:
 * malloc keeps what was freed, and V8 keeps the pages that its usual collections empty. V8 returns them only in a
 * memory-reducing collection, which it starts by itself when the program allocates little. In a gateway with calls that
 * may not happen before the next burst.
 */
export class MemoryReducer {
  readonly #clock: Clock;
  readonly #memory: ProcessMemory;
  #leastBytes: number;
  #cancel: CancelTimer;

  constructor(clock: Clock, memory: ProcessMemory) {
    this.#clock = clock;
    this.#memory = memory;
    this.#leastBytes = memory.residentBytes();
    this.#cancel = this.#wait(INTERVAL_MS);
  }

  close(): void {
    this.#cancel();
  }

  #wait(delayMs: number): CancelTimer {
    return this.#clock.after(delayMs, () => this.#giveBack());
  }

  #giveBack(): void {
    this.#memory.giveHeapBack();
    const isBusy = this.#memory.utilization() > MAX_UTILIZATION;
    const bytes = this.#memory.residentBytes();
    this.#leastBytes = Math.min(this.#leastBytes, bytes);
    if (isBusy || bytes - this.#leastBytes < WORTHWHILE_BYTES) {
      this.#cancel = this.#wait(INTERVAL_MS);
      return;
    }
    this.#memory.reduceObjectHeap();
    // The memory left after the collection is the new baseline, so that only a later burst counts as growth.
    this.#cancel = this.#clock.after(REDUCED_MS, () => {
      this.#leastBytes = this.#memory.residentBytes();
      this.#cancel = this.#wait(INTERVAL_MS - REDUCED_MS);
    });
  }
}

/** This process. Without the native addon, memory is not returned. */
export const PROCESS_MEMORY: ProcessMemory = {
  residentBytes: () => process.memoryUsage.rss(),
  utilization: threadUse(),
  giveHeapBack() {
    const binding = loadMediaIo();
    if (typeof binding !== 'string') binding.giveHeapBack();
  },
  reduceObjectHeap() {
    const binding = loadMediaIo();
    if (typeof binding !== 'string') binding.reduceObjectHeap();
  },
};
