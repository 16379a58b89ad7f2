import type { BenchContext, Measure } from '../bench.ts';
import { type Contender, SIP_SETTLES_MS } from '../calls/contenders.ts';
import { anchorOf, contest, noteOf } from '../calls/contest.ts';
import { HostedCalls } from './hosted-calls.ts';
import { NaiveHosted } from './naive-hosted.ts';

const FIRST_STEPS = [20, 60] as const;
const TIMES_NAIVE = 1.5;

const ours: Contender = {
  name: 'gateway',
  settlesMs: SIP_SETTLES_MS,
  start: (cores) => HostedCalls.start(cores),
};
const naive: Contender = { name: 'naive gateway', start: (cores) => NaiveHosted.start(cores) };

/** Most hosted calls a core, all of which speak and listen without pause. */
export async function hostedDensity(context: BenchContext): Promise<Measure[]> {
  const standings = await contest([ours, naive], FIRST_STEPS, context);
  const own = standings.get(ours)!;
  return [
    {
      name: 'hosted calls a core',
      unit: 'calls',
      ours: own.callsPerCore,
      anchor: anchorOf(naive, standings, ({ callsPerCore }) => callsPerCore),
      target: { atLeast: TIMES_NAIVE },
      note: noteOf([own, standings.get(naive)]),
    },
    {
      name: 'most hosted calls held on one core',
      unit: 'calls',
      ours: [own.held],
      anchor: anchorOf(naive, standings, ({ held }) => [held]),
    },
    { name: 'memory a hosted call', unit: 'KB', ours: own.kbPerCall },
  ];
}
