import type { Anchor, Bench, BenchContext, Measure } from '../bench.ts';
import { anchors, type Contender, missing, ourGateway } from './contenders.ts';
import { type Effort, findDensity, holdAt } from './density.ts';
import { growMeasuringMemory } from './memory.ts';

/** CPU time is compared a little below the most calls, where rounds do not fail. */
const ROUND_SHARE = 0.9;
const MAX_KB_PER_CALL = 64;
const FIRST_STEPS = [60, 180] as const;

/** One contender's figures. */
interface Standing {
  readonly density: number;
  /** By round. */
  readonly callsPerCore: number[];
  readonly kbPerCall: number[];
  /** Rounds in which something was lost, and what. */
  readonly spoilt: string[];
}

type Standings = ReadonlyMap<Contender, Standing>;

/** Most G.711 agent calls a core: RTP and a WebSocket with 16 kHz PCM, both ways. */
export const callsBench: Bench = {
  name: 'calls',
  title: 'most G.711 agent calls a core, and memory a call',
  async run(context) {
    const contenders = [ourGateway, ...anchors].filter((contender) => missing(contender) === null);
    const standings = new Map<Contender, Standing>();
    for (const contender of contenders) standings.set(contender, await densityOf(contender, context));
    for (let round = 1; round <= context.rounds; round++) {
      context.progress(`round ${round} of ${context.rounds}`);
      await runRound(standings, context);
    }
    return measuresOf(standings);
  },
};

async function densityOf(contender: Contender, context: BenchContext): Promise<Standing> {
  const system = await contender.start(context.cores);
  try {
    const density = await findDensity(system, effortOf(context));
    context.progress(`${contender.name} holds ${density} calls`);
    return { density, callsPerCore: [], kbPerCall: [], spoilt: [] };
  } finally {
    await system.stop();
  }
}

/** Counts for all contenders or, when one of them could not be measured, for none: what is compared came side by side. */
async function runRound(standings: Standings, context: BenchContext): Promise<void> {
  const figures: (() => void)[] = [];
  try {
    for (const [contender, standing] of standings)
      figures.push(await measureOnce(contender, standing, context));
    for (const keep of figures) keep();
  } catch (error) {
    context.progress(`this round does not count: ${(error as Error).message}`);
  }
}

/** Returns what adds the figures to the standing. */
async function measureOnce(
  contender: Contender,
  { density, callsPerCore, kbPerCall, spoilt }: Standing,
  context: BenchContext,
): Promise<() => void> {
  const system = await contender.start(context.cores);
  try {
    const calls = Math.round(density * ROUND_SHARE);
    const bytes = await growMeasuringMemory(system, calls);
    const seen = await holdAt(system, calls, effortOf(context));
    return () => {
      callsPerCore.push(seen.calls / seen.cores);
      kbPerCall.push(bytes / 1_024);
      if (seen.faults.length > 0) spoilt.push(seen.faults.join(', '));
    };
  } finally {
    await system.stop();
  }
}

function effortOf({ quick, progress }: BenchContext): Effort {
  const effort = { firstSteps: FIRST_STEPS, progress };
  return quick ? { ...effort, seconds: 3, step: 1.2 } : { ...effort, seconds: 5, step: 1.08 };
}

function measuresOf(standings: Standings): Measure[] {
  const ours = standings.get(ourGateway)!;
  const callsPerCore = anchors.map((contender) => ({
    name: 'calls a core',
    unit: 'calls',
    ours: ours.callsPerCore,
    anchor: anchorOf(contender, standings, ({ callsPerCore }) => callsPerCore),
    ...(contender.target === undefined ? {} : { target: { atLeast: contender.target } }),
    note: noteOf(contender, standings),
  }));
  const held = anchors.map((contender) => ({
    name: 'most calls held on one core',
    unit: 'calls',
    ours: [ours.density],
    anchor: anchorOf(contender, standings, ({ density }) => [density]),
  }));
  const memory = {
    name: 'memory a call',
    unit: 'KB',
    ours: ours.kbPerCall,
    target: { atMost: MAX_KB_PER_CALL },
  };
  return [...callsPerCore, ...held, memory];
}

function anchorOf(
  contender: Contender,
  standings: Standings,
  values: (standing: Standing) => readonly number[],
): Anchor {
  const standing = standings.get(contender);
  const { name } = contender;
  return standing === undefined
    ? { name, missing: missing(contender) ?? 'it did not run' }
    : { name, values: values(standing) };
}

function noteOf(contender: Contender, standings: Standings): string {
  const [ours, beside] = [standings.get(ourGateway), standings.get(contender)];
  const spoilt = [...(ours?.spoilt ?? []).map((why) => `ours: ${why}`), ...(beside?.spoilt ?? [])];
  const how = `CPU time at ${ROUND_SHARE * 100} % of the most calls held`;
  return spoilt.length === 0
    ? `${how}, nothing lost in any round`
    : `${how}; spoilt rounds: ${spoilt.join('; ')}`;
}
