import type { CallSystem } from './call-system.ts';
import { describe, type Observation, observe } from './observation.ts';

/** Two small numbers of calls, from whose CPU time the rest is guessed. */
const FIRST_STEPS = [60, 180] as const;
/** The ramp begins here, of what the guess allows, and then goes up by this factor. */
const BEGIN_SHARE = 0.6;
const STEP = 1.08;
/** A machine's hiccup may spoil a try; one clean try is enough. */
const TRIES = 3;
const SETTLE_MS = 2_000;

export interface Effort {
  readonly seconds: number;
  readonly progress: (text: string) => void;
}

/** The most calls that a fresh system holds, going up step by step until it does not. */
export async function findDensity(system: CallSystem, effort: Effort): Promise<number> {
  let held = 0;
  for (const calls of await rampOf(system, effort)) {
    const seen = await holdAt(system, calls, effort);
    if (seen.faults.length > 0) break;
    held = calls;
  }
  if (held === 0) throw new Error(`${system.name} held no number of calls`);
  return held;
}

/** Sets up this many calls and watches them, again when something was lost; the last try is returned. */
export async function holdAt(system: CallSystem, calls: number, effort: Effort): Promise<Observation> {
  await system.grow(calls);
  for (let attempt = 1; ; attempt++) {
    await pause(SETTLE_MS);
    const seen = await observe(system, effort.seconds);
    effort.progress(`${system.name}: ${describe(seen)}`);
    if (seen.faults.length === 0 || attempt === TRIES) return seen;
  }
}

/** Ends at twice of what the first steps promise. */
async function rampOf(system: CallSystem, effort: Effort): Promise<number[]> {
  const seen: Observation[] = [];
  for (const calls of FIRST_STEPS) seen.push(await holdAt(system, calls, { ...effort, seconds: 2 }));
  const [low, high] = seen as [Observation, Observation];
  const coresPerCall = Math.max((high.cores - low.cores) / (high.calls - low.calls), 1e-4);
  const guess = (1 - low.cores) / coresPerCall + low.calls;
  const steps: number[] = [];
  for (let calls = Math.max(high.calls, guess * BEGIN_SHARE); calls <= guess * 2; calls *= STEP) {
    steps.push(Math.round(calls));
  }
  return [high.calls, ...steps];
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
