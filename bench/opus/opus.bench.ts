import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Bench, BenchContext, CorePlan, Measure } from '../bench.ts';
import type { CallSystem } from '../calls/call-system.ts';
import { type Contender, missing } from '../calls/contenders.ts';
import { type Effort, findDensity, holdAt } from '../calls/density.ts';
import { Janus } from '../calls/janus.ts';
import { growMeasuringMemory } from '../calls/memory.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import type { Song } from '../generator/generator.ts';
import { JANUS } from '../janus/janus-process.ts';
import { song } from './song.ts';

/** What both encode with, and the phones too: the gateway's own defaults. */
const OPUS = { payloadType: 111, complexity: 4, bitrateBps: 24_000 } as const;
const ROUND_SHARE = 0.9;
const TIMES_JANUS = 3;
const MAX_KB_PER_CALL = 200;
/** Rooms of Janus take a tenth of those of G.711. */
const FIRST_STEPS = [8, 20] as const;

interface Standing {
  readonly calls: number;
  /** Most legs held. */
  readonly legs: number;
  /** By round. */
  readonly legsPerCore: number[];
  readonly kbPerCall: number[];
  readonly spoilt: string[];
}

/** Most Opus legs at 48 kHz a core: decoded, mixed, encoded. */
export const opusBench: Bench = {
  name: 'opus',
  title: 'most Opus legs at 48 kHz a core, and memory a call',
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'song-'));
    try {
      const file = join(folder, 'song');
      writeFileSync(file, song());
      return await compare({ ...OPUS, file }, context);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

async function compare(said: Song, context: BenchContext): Promise<Measure[]> {
  const ours: Contender = { name: 'gateway', start: (cores) => OurGateway.start(cores, said) };
  const janus: Contender = {
    name: 'Janus AudioBridge',
    needs: JANUS,
    start: (cores: CorePlan) => Janus.start(cores, said),
  };
  const contenders = missing(janus) === null ? [ours, janus] : [ours];
  const standings: Standing[] = [];
  for (const contender of contenders) standings.push(await densityOf(contender, context));
  for (let round = 1; round <= context.rounds; round++) {
    context.progress(`round ${round} of ${context.rounds}`);
    await runRound(contenders, standings, context);
  }
  return measuresOf(standings[0]!, standings[1], missing(janus) ?? 'it did not run');
}

async function densityOf(contender: Contender, context: BenchContext): Promise<Standing> {
  return running(contender, context, async (system) => {
    const calls = await findDensity(system, effortOf(context));
    const legs = calls * system.ends.phones;
    context.progress(`${contender.name} holds ${legs} legs`);
    return { calls, legs, legsPerCore: [], kbPerCall: [], spoilt: [] };
  });
}

/** Counts for both or, when one of them could not be measured, for neither. */
async function runRound(
  contenders: readonly Contender[],
  standings: readonly Standing[],
  context: BenchContext,
): Promise<void> {
  const figures: (() => void)[] = [];
  try {
    for (const [i, contender] of contenders.entries())
      figures.push(await measureOnce(contender, standings[i]!, context));
    for (const keep of figures) keep();
  } catch (error) {
    context.progress(`this round does not count: ${(error as Error).message}`);
  }
}

/** Returns what adds the figures to the standing. */
function measureOnce(contender: Contender, standing: Standing, context: BenchContext): Promise<() => void> {
  return running(contender, context, async (system) => {
    const calls = Math.round(standing.calls * ROUND_SHARE);
    const bytes = await growMeasuringMemory(system, calls);
    const seen = await holdAt(system, calls, effortOf(context));
    return () => {
      standing.kbPerCall.push(bytes / 1_024);
      standing.legsPerCore.push((seen.calls * system.ends.phones) / seen.cores);
      if (seen.faults.length > 0) standing.spoilt.push(`${contender.name}: ${seen.faults.join(', ')}`);
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

function effortOf({ quick, progress }: BenchContext): Effort {
  const effort = { firstSteps: FIRST_STEPS, progress };
  return quick ? { ...effort, seconds: 3, step: 1.2 } : { ...effort, seconds: 5, step: 1.08 };
}

function measuresOf(ours: Standing, janus: Standing | undefined, apt: string): Measure[] {
  const name = 'Janus AudioBridge';
  const anchor = (values: (standing: Standing) => readonly number[]) =>
    janus === undefined ? { name, missing: apt } : { name, values: values(janus) };
  const spoilt = [...ours.spoilt, ...(janus?.spoilt ?? [])];
  const how = `${OPUS.bitrateBps / 1_000} kbit/s, complexity ${OPUS.complexity}; CPU time at ${ROUND_SHARE * 100} % of the most held`;
  return [
    {
      name: 'Opus legs a core',
      unit: 'legs',
      ours: ours.legsPerCore,
      anchor: anchor(({ legsPerCore }) => legsPerCore),
      target: { atLeast: TIMES_JANUS },
      note: `${how}; ${spoilt.length === 0 ? 'nothing lost in any round' : `spoilt rounds: ${spoilt.join('; ')}`}`,
    },
    {
      name: 'most legs held on one core',
      unit: 'legs',
      ours: [ours.legs],
      anchor: anchor(({ legs }) => [legs]),
    },
    {
      name: 'memory an Opus call',
      unit: 'KB',
      ours: ours.kbPerCall,
      target: { atMost: MAX_KB_PER_CALL },
    },
  ];
}
