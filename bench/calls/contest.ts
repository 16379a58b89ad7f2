import type { Anchor, BenchContext } from '../bench.ts';
import { residentBytes } from '../process-usage.ts';
import type { CallSystem } from './call-system.ts';
import { type Contender, missing } from './contenders.ts';
import { type Effort, findDensity, holdAt, pause } from './density.ts';

/** CPU time is compared slightly below the maximum, where rounds do not fail. */
const ROUND_SHARE = 0.9;

/** One contender's figures. */
export interface Standing {
  /** Most calls held on one core. */
  readonly held: number;
  /** Telephones a call. */
  readonly phones: number;
  /** By round. */
  readonly callsPerCore: number[];
  /** Of those whose memory is measured. */
  readonly kbPerCall: number[];
  /** Losses in rounds. */
  readonly spoilt: string[];
}

export type Standings = ReadonlyMap<Contender, Standing>;

/** Finds the maximum number of calls of each available contender, and then compares them in turns. */
export async function contest(
  contenders: readonly Contender[],
  firstSteps: Effort['firstSteps'],
  context: BenchContext,
): Promise<Standings> {
  const effort = effortOf(context, firstSteps);
  const standings = new Map<Contender, Standing>();
  for (const contender of contenders) {
    if (missing(contender) !== null) continue;
    const standing = densityOf(contender, context, effort);
    // Without the first there is nothing to compare; an anchor that cannot keep up here is left out.
    if (standings.size === 0) standings.set(contender, await standing);
    else await standing.then((found) => standings.set(contender, found), leaveOut(contender, context));
  }
  for (let round = 1; round <= context.rounds; round++) {
    context.progress(`round ${round} of ${context.rounds}`);
    await runRound(standings, context, effort);
  }
  return standings;
}

function leaveOut({ name }: Contender, { progress }: BenchContext): (error: Error) => void {
  return ({ message }) => progress(`${name} is skipped: ${message}`);
}

function effortOf({ quick, progress }: BenchContext, firstSteps: Effort['firstSteps']): Effort {
  return { firstSteps, progress, ...(quick ? { seconds: 3, step: 1.2 } : { seconds: 5, step: 1.08 }) };
}

function densityOf(contender: Contender, context: BenchContext, effort: Effort): Promise<Standing> {
  return running(contender, context, async (system) => {
    const held = await findDensity(system, effort);
    context.progress(`${contender.name} holds ${held} calls`);
    return { held, phones: system.ends.phones, callsPerCore: [], kbPerCall: [], spoilt: [] };
  });
}

/** Counts for all contenders, or for none if one of them could not be measured, so that figures are comparable. */
async function runRound(standings: Standings, context: BenchContext, effort: Effort): Promise<void> {
  const figures: (() => void)[] = [];
  try {
    for (const [contender, standing] of standings) {
      figures.push(await measureOnce(contender, standing, context, effort));
    }
    for (const keep of figures) keep();
  } catch (error) {
    context.progress(`this round is discarded: ${(error as Error).message}`);
  }
}

/** Returns a function that adds the figures to the standing. */
function measureOnce(
  contender: Contender,
  { held, callsPerCore, kbPerCall, spoilt }: Standing,
  context: BenchContext,
  effort: Effort,
): Promise<() => void> {
  return running(contender, context, async (system) => {
    const calls = Math.round(held * ROUND_SHARE);
    const { settlesMs } = contender;
    const bytes = settlesMs === undefined ? null : await growMeasuringMemory(system, calls, settlesMs);
    const seen = await holdAt(system, calls, effort);
    return () => {
      callsPerCore.push(seen.calls / seen.cores);
      if (bytes !== null) kbPerCall.push(bytes / 1_024);
      if (seen.faults.length > 0) spoilt.push(`${contender.name}: ${seen.faults.join(', ')}`);
    };
  });
}

async function running<T>(
  contender: Contender,
  { cores }: BenchContext,
  use: (system: CallSystem) => Promise<T>,
): Promise<T> {
  const system = await contender.start(cores);
  try {
    return await use(system);
  } finally {
    await system.stop();
  }
}

/** Returns a contender's values, or how to install it. */
export function anchorOf(
  contender: Contender,
  standings: Standings,
  values: (standing: Standing) => readonly number[],
): Anchor {
  const standing = standings.get(contender);
  const { name } = contender;
  return standing === undefined
    ? { name, missing: missing(contender) ?? 'it could not hold any calls here' }
    : { name, values: values(standing) };
}

/** Describes how it was measured and what went wrong. */
export function noteOf(standings: readonly (Standing | undefined)[]): string {
  const spoilt = standings.flatMap((standing) => standing?.spoilt ?? []);
  const how = `CPU time at ${ROUND_SHARE * 100} % of the most calls held`;
  return spoilt.length === 0
    ? `${how}, nothing lost in any round`
    : `${how}; spoilt rounds: ${spoilt.join('; ')}`;
}

/** Grows to a quarter of the calls and then to all. Returns the growth of resident memory in bytes per call. */
async function growMeasuringMemory(system: CallSystem, calls: number, settlesMs: number): Promise<number> {
  const few = await settledAt(system, Math.round(calls / 4), settlesMs);
  const all = await settledAt(system, calls, settlesMs);
  return (all.bytes - few.bytes) / (all.calls - few.calls);
}

async function settledAt(
  system: CallSystem,
  calls: number,
  settlesMs: number,
): Promise<{ calls: number; bytes: number }> {
  await system.grow(calls);
  await pause(settlesMs);
  return { calls: system.calls, bytes: residentBytes(system.pid) };
}
