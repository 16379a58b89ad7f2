/** Something that is measured: a folder `bench/<name>/` exports one, `bench/benches.ts` lists it. */
export interface Bench {
  readonly name: string;
  readonly title: string;
  run(context: BenchContext): Promise<readonly Measure[]>;
}

export interface BenchContext {
  /** How often each side is measured, in turns: A B A B. */
  readonly rounds: number;
  /** For a first impression: shorter, and not to be quoted. */
  readonly quick: boolean;
  readonly cores: CorePlan;
  /** Tells what is going on. */
  progress(text: string): void;
}

/** What to put before a command so that it runs on its core, such as `['taskset', '-c', '0']`; empty: nothing to pin with. */
export interface CorePlan {
  readonly gateway: readonly string[];
  readonly generators: readonly string[];
}

/** One line of the table: our figure beside its anchor's, by round. */
export interface Measure {
  readonly name: string;
  readonly unit: string;
  readonly ours: readonly number[];
  readonly anchor?: Anchor;
  /** Judged on the ratio of the medians, or on our median where no anchor is meant. */
  readonly target?: Target;
  readonly note?: string;
}

/** What ours is held against; `missing` says how to get it. */
export type Anchor =
  | { readonly name: string; readonly values: readonly number[] }
  | { readonly name: string; readonly missing: string };

export type Target = { readonly atLeast: number } | { readonly atMost: number };
