import type { CallSystem } from './call-system.ts';
import { describe, type Observation, observe } from './observation.ts';

/** The ramp is steep between these shares of the guess, which on a bad day is twice too high. */
const BEGIN_SHARE = 0.4;
const CAREFUL_SHARE = 0.65;
const FAST_STEP = 1.2;
/** One clean try is enough, as a hiccup of the machine may spoil some. Tries on a busy machine do not count. */
const TRIES = 3;
const MAX_TRIES = 6;
const QUIET_CORES = 0.15;
const SETTLE_MS = 2_000;

export interface Effort {
  /** Duration of one observation. */
  readonly seconds: number;
  /** Two small numbers of calls. The rest is estimated from their CPU time. */
  readonly firstSteps: readonly [number, number];
  /** Factor between two steps of the ramp. */
  readonly step: number;
  readonly progress: (text: string) => void;
}

/** Finds the maximum number of calls of a fresh system, step by step. */
export async function findDensity(system: CallSystem, effort: Effort): Promise<number> {
  let held = 0;
  for (const calls of await rampOf(system, effort)) {
    if (!(await holds(system, calls, effort))) break;
    held = calls;
  }
  if (held === 0) throw new Error(`${system.name} could not hold any calls`);
  return held;
}

/** An overloaded system may not even answer; that counts as not holding. */
async function holds(system: CallSystem, calls: number, effort: Effort): Promise<boolean> {
  try {
    return (await holdAt(system, calls, effort)).faults.length === 0;
  } catch (error) {
    effort.progress(`${system.name}: ${calls} calls: ${(error as Error).message}`);
    return false;
  }
}

/** Sets up this many calls and observes them, repeatedly if something was lost. Returns the last try. */
export async function holdAt(system: CallSystem, calls: number, effort: Effort): Promise<Observation> {
  await system.grow(calls);
  for (let attempt = 1, counted = 0; ; attempt++) {
    await pause(SETTLE_MS);
    const seen = await observe(system, effort.seconds);
    effort.progress(`${system.name}: ${describe(seen)}`);
    if (seen.otherCores < QUIET_CORES) counted++;
    if (seen.faults.length === 0 || counted === TRIES || attempt === MAX_TRIES) return seen;
  }
}

/** Returns the steps, up to twice the estimate from the first ones. */
async function rampOf(system: CallSystem, effort: Effort): Promise<number[]> {
  const seen: Observation[] = [];
  for (const calls of effort.firstSteps) seen.push(await holdAt(system, calls, { ...effort, seconds: 2 }));
  const [low, high] = seen as [Observation, Observation];
  const coresPerCall = Math.max((high.cores - low.cores) / (high.calls - low.calls), 1e-4);
  const guess = (1 - low.cores) / coresPerCall + low.calls;
  const steps: number[] = [];
  for (let calls = Math.max(high.calls, guess * BEGIN_SHARE); calls <= guess * 2; ) {
    steps.push(Math.round(calls));
    calls *= calls < guess * CAREFUL_SHARE ? Math.max(FAST_STEP, effort.step) : effort.step;
  }
  return [high.calls, ...steps];
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
