import { type ChildProcess, spawn } from 'node:child_process';
import type { Gateway } from '../../test/support/gateway.ts';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { type Observation, observe } from '../calls/observation.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import { knownDensity } from '../density.ts';
import { lossesOf } from '../generator/generator-report.ts';
import { quantile } from '../quantiles.ts';

/** Of the calls that one core carries. */
const OFFERED = [1, 1.3, 1.5, 2];
const QUICK_OFFERED = [1.5];
/** Beside another process that never rests. */
const BESIDE = 1;
/** Callers try again: whatever room shows is taken for so long, a few calls at a time. */
const AGAIN_MS = 15_000;
const AGAIN_CALLS = 8;
const BETWEEN_MS = 500;
const SETTLE_MS = 3_000;
const SECONDS = 10;
const PROBE_MS = 20;
/** After so long all room must be back, for more calls than are always admitted. */
const BACK_MS = 2_000;
const BURST = 60;

interface Load {
  readonly name: string;
  readonly offered: number;
  readonly isBeside: boolean;
}

interface Round {
  readonly admitted: number;
  readonly seen: Observation;
  readonly losses: readonly string[];
  readonly restP99Ms: number;
  /** Calls of the burst that were admitted after all others had gone. */
  readonly back: number;
}

export const overloadBench: Bench = {
  name: 'overload',
  title: 'more calls than a core carries: those that are admitted, and the rest',
  async run(context) {
    const loads = loadsOf(context.quick ? QUICK_OFFERED : OFFERED);
    const measures: Measure[] = [];
    for (const load of loads) {
      const rounds: Round[] = [];
      for (let round = 1; round <= context.rounds; round++) {
        rounds.push(await measure(context, load));
        context.progress(`${load.name}, round ${round}: ${describe(rounds.at(-1) as Round)}`);
      }
      measures.push(...measuresOf(load, rounds));
    }
    return measures;
  },
};

function loadsOf(shares: readonly number[]): Load[] {
  const { calls } = knownDensity();
  const loads = shares.map((share) => ({
    name: `${share} × offered`,
    offered: Math.round(share * calls),
    isBeside: false,
  }));
  return [...loads, { name: 'beside a busy process', offered: Math.round(BESIDE * calls), isBeside: true }];
}

async function measure({ cores }: BenchContext, { offered, isBeside }: Load): Promise<Round> {
  const system = await OurGateway.start(cores, undefined, { SVC_ADMISSION: 'load' });
  const busy = isBeside ? startBusyProcess(cores.gateway) : null;
  try {
    const admitted = (await system.offer(offered)) + (await offerAgain(system));
    await pause(SETTLE_MS);
    const probing = probeRest(system.gateway);
    const seen = await observe(system, SECONDS);
    const restP99Ms = quantile(await probing, 0.99);
    const losses = lossesOf(seen.report, admitted, admitted);
    await system.hangUpAll();
    await pause(BACK_MS);
    return { admitted, seen, losses, restP99Ms, back: await system.offer(BURST) };
  } finally {
    busy?.kill('SIGKILL');
    await system.stop();
  }
}

/** Returns how many more calls were admitted. */
async function offerAgain(system: OurGateway): Promise<number> {
  const endMs = performance.now() + AGAIN_MS;
  let admitted = 0;
  while (performance.now() < endMs) {
    admitted += await system.offer(AGAIN_CALLS);
    await pause(BETWEEN_MS);
  }
  return admitted;
}

function startBusyProcess(prefix: readonly string[]): ChildProcess {
  const [command = process.execPath, ...args] = [...prefix, process.execPath, '-e', 'for (;;) {}'];
  return spawn(command, args, { stdio: 'ignore' });
}

/** Delays of requests, one every 20 ms while there are calls to be watched. */
async function probeRest({ agentApi }: Gateway): Promise<number[]> {
  const delaysMs: number[] = [];
  const endMs = performance.now() + SECONDS * 1_000;
  while (performance.now() < endMs) {
    const beganMs = performance.now();
    await agentApi.get('/api/account');
    delaysMs.push(performance.now() - beganMs);
    await pause(Math.max(0, beganMs + PROBE_MS - performance.now()));
  }
  return delaysMs;
}

function measuresOf({ name, offered }: Load, rounds: readonly Round[]): Measure[] {
  const each = (value: (round: Round) => number): number[] => rounds.map(value);
  const late = each(({ seen }) => seen.ticks?.latenessP999Ms ?? Number.NaN);
  const losses = rounds.flatMap((round) => round.losses);
  return [
    {
      name: `${name}: admitted`,
      unit: 'calls',
      ours: each(({ admitted }) => admitted),
      note: `of ${offered}; the gateway then took ${each(({ seen }) => seen.cores)
        .map((used) => used.toFixed(2))
        .join(', ')} cores`,
    },
    { name: `${name}: tick lateness p99.9`, unit: 'ms', ours: late, target: { atMost: 2 } },
    {
      name: `${name}: frames at agents late p99`,
      unit: 'ms',
      ours: each(({ seen }) => seen.report.agents.arrival.p99Ms),
      target: { atMost: 20 },
    },
    {
      name: `${name}: rounds with a loss`,
      unit: 'rounds',
      ours: each((round) => Math.min(1, round.losses.length)),
      target: { atMost: 0 },
      ...(losses.length > 0 ? { note: losses.join(', ') } : {}),
    },
    { name: `${name}: REST p99`, unit: 'ms', ours: each((round) => round.restP99Ms), target: { atMost: 50 } },
    {
      name: `${name}: room back within ${BACK_MS / 1_000} s`,
      unit: 'calls',
      ours: each(({ back }) => back),
      target: { atLeast: BURST },
    },
  ];
}

function describe({ admitted, seen, losses, restP99Ms, back }: Round): string {
  const { ticks, report, cores } = seen;
  return [
    `${admitted} admitted on ${cores.toFixed(2)} cores`,
    `ticks p99.9 ${ticks?.latenessP999Ms} ms`,
    `agents p99 ${report.agents.arrival.p99Ms} ms`,
    `REST p99 ${restP99Ms.toFixed(1)} ms`,
    losses.length === 0 ? 'no loss' : losses.join(', '),
    `${back} of ${BURST} afterwards`,
  ].join('; ');
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
