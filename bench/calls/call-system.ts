import type { Generator } from '../generator/generator.ts';

/** A program that carries calls, and the generator that makes them. */
export interface CallSystem {
  readonly name: string;
  /** The process whose CPU time and memory are read. */
  readonly pid: number;
  readonly generator: Generator;
  /** Number of active calls. */
  readonly calls: number;
  /** Ends of a call: two phones where audio is only relayed, otherwise a phone and an agent. */
  readonly ends: { readonly phones: 1 | 2; readonly agents: 0 | 1 };
  /** Sets up more calls, until there are `calls`. */
  grow(calls: number): Promise<void>;
  /** Starts to watch the program's clock. The returned function reports on it; null if the program has no figures. */
  watchTicks(): Promise<(() => Promise<TickReport>) | null>;
  /** Where calls have more ends than those: starts to watch them. The returned function tells what they missed. */
  watchOthers?(): Promise<() => Promise<readonly string[]>>;
  stop(): Promise<void>;
}

export interface TickReport {
  /** Upper bound of its histogram bucket. */
  readonly latenessP999Ms: number;
  readonly skipped: number;
}
