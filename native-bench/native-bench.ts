/** A comparison of programs that do the same work: a folder `native-bench/<name>/` exports one, `benches.ts` lists it. */
export interface NativeBench {
  readonly name: string;
  readonly title: string;
  /** The first is what the others are held against. */
  programs(): readonly Contestant[];
}

export type Contestant = Program | MissingProgram;

/**
 * Ends by itself and prints one JSON object, figure → number; a figure's name carries its unit. What is not a number
 * in it is left out.
 */
export interface Program {
  readonly name: string;
  readonly command: readonly string[];
  /** What must run on another core meanwhile; it starts first and ends by itself. */
  readonly beside?: readonly string[];
  /** Needs more than one core. */
  readonly unpinned?: true;
}

export interface MissingProgram {
  readonly name: string;
  /** How to get it. */
  readonly missing: string;
}

/** A TypeScript file of this folder, as a command; `node` is the one that runs us. */
export function nodeCommand(file: string, ...args: readonly string[]): string[] {
  return [process.execPath, '--disable-warning=ExperimentalWarning', file, ...args];
}
