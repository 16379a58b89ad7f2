import type { Generator } from '../generator/generator.ts';

/** A program that carries calls, and a generator that makes them. */
export interface CallSystem {
  readonly name: string;
  /** The process whose CPU time and memory are read. */
  readonly pid: number;
  readonly generator: Generator;
  /** Calls that are up. */
  readonly calls: number;
  /** Ends of a call: two phones where audio is only relayed, otherwise a phone and an agent. */
  readonly ends: { readonly phones: 1 | 2; readonly agents: 0 | 1 };
  /** Sets up more calls, until there are so many. */
  grow(calls: number): Promise<void>;
  /** Begins to watch the program's clock; the returned function says what it did since. Null: it has none to ask. */
  watchTicks(): Promise<(() => Promise<TickReport>) | null>;
  stop(): Promise<void>;
}

export interface TickReport {
  /** The upper bound of the bin of the histogram in which it lies. */
  readonly latenessP999Ms: number;
  readonly skipped: number;
}
