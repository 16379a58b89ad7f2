/**
 * One block of shared memory per worker: the worker writes, any thread reads. Counters are Float64, exact to 2^53, each
 * with a single writer.
 *
 *     0              8                64
 *     ├──────────────┼────────────────┼──────────────────────────────┬──────────────────┬───────────────┐
 *     │ words, Int32 │ libopus, ASCII │ counters, Float64            │ lateness buckets │ delay buckets │
 *     └──────────────┴────────────────┴──────────────────────────────┴──────────────────┴───────────────┘
 */

/** Ticks so far, modulo 2^32. The supervisor checks that it changes. */
const HEARTBEAT = 0;
/** Number of the call being run, 0 between calls. Identifies the call at fault when a worker stalls or dies. */
const CURRENT_CALL = 1;
const WORDS_BYTES = 8;
/** Zero-padded name of the libopus; all zeros until the worker needs one. */
const OPUS_BYTES = 56;
const HEAD_BYTES = WORDS_BYTES + OPUS_BYTES;

/** Gauges (`calls`, `agent_legs`, `native_io_threads`) drop to zero with their worker; all others only grow. */
export const ENGINE_COUNTERS = [
  'calls',
  'agent_legs',
  'native_io_threads',
  'ticks',
  'skipped_ticks',
  'busy_ms',
  'frames_in',
  'frames_out',
  'uplink_underruns',
  'downlink_overruns',
  'uplink_shortened_ms',
  'uplink_lengthened_ms',
  'cleared_ms',
  'packets_received',
  'packets_sent',
  'packets_lost',
  'packets_late',
  'frames_concealed',
  'packets_dropped',
  'shortened_ms',
  'lengthened_ms',
  'packets_unsent',
  'packets_overflowed',
  'failed_calls',
  'faults',
] as const;
export type EngineCounter = (typeof ENGINE_COUNTERS)[number];

/**
 * Upper bounds of the tick lateness histogram in milliseconds. Ten per decade keep its quantiles accurate to an eighth.
 * One more bucket counts values above the last bound.
 */
export const LATENESS_BOUNDS_MS = [
  ...[0.05, 0.063, 0.08, 0.1, 0.125, 0.16, 0.2, 0.25, 0.315, 0.4, 0.5, 0.63, 0.8, 1, 1.25, 1.6, 2, 2.5, 3.15],
  ...[4, 5, 6.3, 8, 10, 12.5, 16, 20, 25, 31.5, 40, 50, 63, 80, 100],
] as const;

/** Upper bounds of the histogram of jitter buffers' delays, in milliseconds. One more bucket counts longer ones. */
export const DELAY_BOUNDS_MS = [
  20, 40, 60, 80, 100, 120, 160, 200, 250, 300, 350, 400, 500, 700, 1_000,
] as const;

const COUNTER_INDEX = Object.fromEntries(ENGINE_COUNTERS.map((name, index) => [name, index])) as Record<
  EngineCounter,
  number
>;
const LATENESS_FIRST = ENGINE_COUNTERS.length;
const LATENESS_SUM = LATENESS_FIRST + LATENESS_BOUNDS_MS.length + 1;
const DELAY_FIRST = LATENESS_SUM + 1;
const DELAY_SUM = DELAY_FIRST + DELAY_BOUNDS_MS.length + 1;
const NUMBERS = DELAY_SUM + 1;

export type EngineNumbers = Record<EngineCounter, number> & {
  /** One count per bound, not cumulative, plus one for values above the last bound. */
  readonly latenessCounts: number[];
  readonly latenessSumMs: number;
  readonly delayCounts: number[];
  readonly delaySumMs: number;
};

export class EngineStats {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;
  readonly #opus: Buffer;
  readonly #numbers: Float64Array;

  constructor(memory = new SharedArrayBuffer(HEAD_BYTES + NUMBERS * Float64Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory, 0, WORDS_BYTES / Int32Array.BYTES_PER_ELEMENT);
    this.#opus = Buffer.from(memory, WORDS_BYTES, OPUS_BYTES);
    this.#numbers = new Float64Array(memory, HEAD_BYTES, NUMBERS);
  }

  get heartbeat(): number {
    return Atomics.load(this.#words, HEARTBEAT);
  }

  get currentCall(): number {
    return Atomics.load(this.#words, CURRENT_CALL);
  }

  /** Name of the libopus in use; null when the worker has not needed one. */
  get opusLibrary(): string | null {
    const name = this.#opus.toString('latin1', 0, this.#opus.indexOf(0));
    return name === '' ? null : name;
  }

  /** Stores the name of the libopus in use, truncated to 55 characters. */
  nameOpus(library: string): void {
    this.#opus.write(library, 0, OPUS_BYTES - 1, 'latin1');
  }

  beat(): void {
    Atomics.add(this.#words, HEARTBEAT, 1);
  }

  enterCall(callNumber: number): void {
    this.#words[CURRENT_CALL] = callNumber;
  }

  leaveCall(): void {
    this.#words[CURRENT_CALL] = 0;
  }

  add(counter: EngineCounter, amount: number): void {
    this.#count(COUNTER_INDEX[counter], amount);
  }

  recordLateness(latenessMs: number): void {
    this.#count(LATENESS_FIRST + bucketOf(latenessMs, LATENESS_BOUNDS_MS), 1);
    this.#count(LATENESS_SUM, latenessMs);
  }

  /** Records the delay of a call's jitter buffer. */
  recordDelay(delayMs: number): void {
    this.#count(DELAY_FIRST + bucketOf(delayMs, DELAY_BOUNDS_MS), 1);
    this.#count(DELAY_SUM, delayMs);
  }

  #count(index: number, amount: number): void {
    this.#numbers[index] = (this.#numbers[index] as number) + amount;
  }

  read(): EngineNumbers {
    const counters = Object.fromEntries(
      ENGINE_COUNTERS.map((name, index) => [name, this.#numbers[index] as number]),
    ) as Record<EngineCounter, number>;
    return {
      ...counters,
      latenessCounts: [...this.#numbers.subarray(LATENESS_FIRST, LATENESS_SUM)],
      latenessSumMs: this.#numbers[LATENESS_SUM] as number,
      delayCounts: [...this.#numbers.subarray(DELAY_FIRST, DELAY_SUM)],
      delaySumMs: this.#numbers[DELAY_SUM] as number,
    };
  }
}

/** A total, of which the statistics get what it has grown by. */
export class CountedTotal {
  readonly #counter: EngineCounter;
  #counted: number;

  constructor(counter: EngineCounter, counted = 0) {
    this.#counter = counter;
    this.#counted = counted;
  }

  count(stats: EngineStats, total: number): void {
    if (total === this.#counted) return;
    stats.add(this.#counter, total - this.#counted);
    this.#counted = total;
  }
}

/** Adds two sets of figures. A sum over workers starts from the figures of workers that have ended. */
export function addEngineNumbers(total: EngineNumbers, more: EngineNumbers): EngineNumbers {
  const sum = { ...total };
  for (const name of ENGINE_COUNTERS) sum[name] += more[name];
  return {
    ...sum,
    latenessCounts: total.latenessCounts.map((count, i) => count + (more.latenessCounts[i] ?? 0)),
    latenessSumMs: total.latenessSumMs + more.latenessSumMs,
    delayCounts: total.delayCounts.map((count, i) => count + (more.delayCounts[i] ?? 0)),
    delaySumMs: total.delaySumMs + more.delaySumMs,
  };
}

function bucketOf(value: number, bounds: readonly number[]): number {
  let bucket = 0;
  while (bucket < bounds.length && value > (bounds[bucket] as number)) bucket++;
  return bucket;
}
