import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Bench, BenchContext, Measure } from '../bench.ts';
import { IdleCalls, type IdleCost } from './idle-calls.ts';

const PARTIES = [3, 10, 50, 200];
const RATES_HZ = [8_000, 16_000, 48_000];
const ROOMS = RATES_HZ.flatMap((rateHz) => PARTIES.map((parties) => ({ parties, rateHz })));
const IDLE_CALLS = [1_000, 10_000];
const QUICK_IDLE_CALLS = [1_000];
const MS_PER_S = 1_000;

export const mixBench: Bench = {
  name: 'mix',
  title: 'one room of many parties; many calls in which nothing happens',
  async run(context) {
    const rooms = roomMeasures(context);
    return [...rooms, ...(await idleMeasures(context))];
  },
};

function roomMeasures({ cores, rounds, progress }: BenchContext): Measure[] {
  const script = join(import.meta.dirname, 'room-cost.ts');
  const [command = process.execPath, ...args] = [...cores.gateway, process.execPath, script];
  const names = ROOMS.map(({ parties, rateHz }) => `${parties}:${rateHz}`);
  const byRound = Array.from({ length: rounds }, (_, round) => {
    progress(`rooms, round ${round + 1}`);
    return execFileSync(command, [...args, ...names], { encoding: 'utf8' })
      .trim()
      .split('\n')
      .map(Number);
  });
  return ROOMS.map(({ parties, rateHz }, i) => ({
    name: `a tick of ${parties} parties, ${rateHz / MS_PER_S} kHz`,
    unit: 'µs',
    ours: byRound.map((costs) => costs[i] ?? Number.NaN),
    ...(parties === 50 ? { target: { atMost: 100 } } : {}),
  }));
}

/** The numbers of calls grow in one gateway, and each is measured for as many rounds. */
async function idleMeasures(context: BenchContext): Promise<Measure[]> {
  const limit = IdleCalls.limit();
  const wanted = context.quick ? QUICK_IDLE_CALLS : IDLE_CALLS;
  const counts = [...new Set(wanted.map((calls) => Math.min(calls, limit)))];
  const idle = await IdleCalls.start(context.cores, Math.max(...counts));
  try {
    const measures: Measure[] = [];
    for (const calls of counts) {
      await idle.grow(calls);
      const costs: IdleCost[] = [];
      for (let round = 1; round <= context.rounds; round++) {
        costs.push(await idle.measure(context.quick ? 5 : 10));
        context.progress(`${calls} idle calls, round ${round}: ${describe(costs.at(-1) as IdleCost)}`);
      }
      measures.push(...measuresOf(calls, costs, limit));
    }
    return measures;
  } finally {
    await idle.stop();
  }
}

function measuresOf(calls: number, costs: readonly IdleCost[], limit: number): Measure[] {
  const bound = calls === limit ? `; ports and open files allow ${limit}` : '';
  return [
    {
      name: `${calls} idle calls`,
      unit: '% of a core',
      ours: costs.map(({ cores }) => cores * 100),
      ...(calls === 1_000 ? { target: { atMost: 0.6 } } : {}),
      note: `active, on hold, no agent${bound}`,
    },
    {
      name: `memory of each of ${calls} idle calls`,
      unit: 'KB',
      ours: costs.map(({ bytesPerCall }) => bytesPerCall / 1024),
    },
  ];
}

function describe({ cores, bytesPerCall }: IdleCost): string {
  return `${(cores * 100).toFixed(2)} % of a core, ${(bytesPerCall / 1024).toFixed(1)} KB each`;
}
