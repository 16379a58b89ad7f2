/** A bench: a folder `bench/<name>/` exports it and `bench/benches.ts` lists it. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<readonly Measure[]>;
}

export interface BenchContext {
  /** Number of rounds. The sides are measured in turns: A B A B. */
  readonly rounds: number;
  /** Shorter runs for a first impression, not to be quoted. */
  readonly quick: boolean;
  readonly cores: CorePlan;
  /** Reports progress. */
  progress(text: string): void;
}

/** Prefixes that pin a command to its core, such as `['taskset', '-c', '0']`; empty if pinning is not possible. */
export interface CorePlan {
  readonly gateway: readonly string[];
  readonly generators: readonly string[];
}

/** One line of the table: our figures and the anchor's, by round. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly anchor?: Anchor;
  /** Applies to the ratio of the medians, or to our median without an anchor. */
  readonly target?: Target;
  readonly note?: string;
}

/** What our figures are compared with. `missing` says how to install it. */
export type Anchor =
  | { readonly name: string; readonly values: readonly number[] }
  | { readonly name: string; readonly missing: string };

export type Target = { readonly atLeast: number } | { readonly atMost: number };
