import type { CancelTimer, Clock } from '../base/time.ts';

/** One thing that runs out as calls grow. Readings are parts of what there is: 0 is idle, 1 is all of it. */
export interface LoadGauge {
  /** For metrics and people, such as `engine`. */
  readonly name: string;
  /** In words: what is short when it is full. */
  readonly shortage: string;
  /** From this reading on no call is admitted. */
  readonly full: number;
  /** Down to this one none is, once it was full: a reading just below would let calls in and out in turn. */
  readonly clear: number;
  /** Whether each call adds to it. Calls that were just admitted are then counted before they can be seen. */
  readonly growsWithCalls: boolean;
  /** Returns the part in use since the last reading. Called once per look. */
  read(): number;
}

export interface AdmissionOptions {
  readonly clock: Clock;
  readonly gauges: readonly LoadGauge[];
  /** Live calls of all accounts; null: no limit but the load. */
  readonly maxCalls: number | null;
  /** Calls that are always admitted, whatever else the machine does. */
  readonly alwaysAdmitted: number;
  /** Live calls now. */
  readonly liveCalls: () => number;
}

const LOOK_MS = 250;
/** Weight of the last reading. A look in which nothing but one long pause of the machine was seen fills nothing. */
const SMOOTHING = 0.4;
/** A call costs all it will cost this long after it was admitted. */
const SETTLED_AFTER_LOOKS = 6;
/** Nobody looks any more after so many looks without a call: the levels are then those of an idle machine. */
const LOOKS_UNTIL_REST = 12;
/** Cost of a call before there are enough to measure it: 0.4 % of a core. */
const FIRST_GUESS = 0.004;
const ENOUGH_CALLS = 20;
/** To set a call up costs more than to carry it, and what else goes on is no call's cost. */
const MOST_COST = 0.005;

interface Watched {
  readonly gauge: LoadGauge;
  level: number;
  isFull: boolean;
}

/**
 * Admits calls only while the machine can carry them, so that those that are there keep their audio. What a call costs
 * is learned from those that are live: a burst is admitted by what it will cost, not by what can be seen of it yet.
 */
export class Admission {
  readonly #options: AdmissionOptions;
  readonly #watched: readonly Watched[];
  /** Calls admitted in the last looks, the newest first. */
  readonly #recent: number[] = Array.from({ length: SETTLED_AFTER_LOOKS }, () => 0);
  /** Null: nobody looks. */
  #cancel: CancelTimer | null = null;
  #looksWithoutCalls = 0;
  #refused = 0;

  constructor(options: AdmissionOptions) {
    this.#options = options;
    this.#watched = options.gauges.map((gauge) => ({ gauge, level: 0, isFull: false }));
  }

  close(): void {
    this.#cancel?.();
    this.#cancel = null;
  }

  /** Calls that were refused since the start. */
  get refused(): number {
    return this.#refused;
  }

  /** The level of each gauge. */
  get levels(): [string, number][] {
    return this.#watched.map(({ gauge, level }) => [gauge.name, level]);
  }

  /** Why no call is admitted now; null: the next one is. */
  get problem(): string | null {
    const { maxCalls, alwaysAdmitted, liveCalls } = this.#options;
    const live = liveCalls();
    if (maxCalls !== null && live >= maxCalls) return `${live} calls are live, which is the most`;
    if (live < alwaysAdmitted) return null;
    const unseen = this.#unseenCalls();
    return this.#watched.find((watched) => isShort(watched, live - unseen, unseen))?.gauge.shortage ?? null;
  }

  /** Admits a call, or returns why not. */
  admit(): string | null {
    this.#watch();
    const { problem } = this;
    if (problem === null) this.#recent[0]! += 1;
    else this.#refused += 1;
    return problem;
  }

  /** Calls whose cost is not in the readings yet: those of the last looks, of which the older ones count less. */
  #unseenCalls(): number {
    return this.#recent.reduce((sum, count, age) => sum + count * (1 - age / SETTLED_AFTER_LOOKS), 0);
  }

  /** Looks at the gauges from now on. Nobody looks while there are no calls, so that an idle machine sleeps. */
  #watch(): void {
    if (this.#cancel !== null) return;
    // What they say of the time in which nobody looked is no level.
    for (const { gauge } of this.#watched) gauge.read();
    this.#looksWithoutCalls = 0;
    this.#lookAgain();
  }

  #lookAgain(): void {
    this.#cancel = this.#options.clock.after(LOOK_MS, () => this.#look());
  }

  #look(): void {
    for (const watched of this.#watched) this.#read(watched);
    this.#recent.pop();
    this.#recent.unshift(0);
    this.#looksWithoutCalls = this.#options.liveCalls() > 0 ? 0 : this.#looksWithoutCalls + 1;
    const isFull = this.#watched.some((watched) => watched.isFull);
    if (this.#looksWithoutCalls < LOOKS_UNTIL_REST || isFull) this.#lookAgain();
    else this.#cancel = null;
  }

  #read(watched: Watched): void {
    const { gauge, level, isFull } = watched;
    watched.level = level + (gauge.read() - level) * SMOOTHING;
    watched.isFull = watched.level >= (isFull ? gauge.clear : gauge.full);
  }
}

/** Whether a gauge has no room for a call, beside those whose cost is in its readings and those whose cost is not yet. */
function isShort({ gauge, level, isFull }: Watched, seen: number, unseen: number): boolean {
  if (isFull || !gauge.growsWithCalls) return isFull;
  const each = seen >= ENOUGH_CALLS ? Math.min(level / seen, MOST_COST) : FIRST_GUESS;
  return level + unseen * each >= gauge.full;
}
