import type { Gateway } from '../test/support/gateway.ts';
import type { Measure } from './bench.ts';
import { readTicks } from './calls/gateway-ticks.ts';
import { difference, type Histogram, quantileOf } from './metrics-histogram.ts';

const SETTLE_MS = 3_000;
const SHARES = { p99: 0.99, 'p99.9': 0.999 } as const;
/** One step of the histogram: ten bounds per decade. */
const ONE_STEP = 1.3;
const MS_PER_S = 1_000;

/** One round: the lateness of all ticks without something, and beside it. */
export interface TickRound {
  readonly quiet: Histogram;
  readonly beside: Histogram;
}

/** The lateness of all ticks in some seconds, once everything has settled. */
export async function ticksDuring(gateway: Gateway, seconds: number): Promise<Histogram> {
  await pause(SETTLE_MS);
  const { lateness } = await readTicks(gateway);
  await pause(seconds * MS_PER_S);
  return difference(lateness, (await readTicks(gateway)).lateness);
}

/** Two lines of the table. `of`: whose ticks beside what; `without`: the name of the other spells. */
export function tickMeasures(
  rounds: readonly TickRound[],
  { of, without }: { readonly of: string; readonly without: string },
): Measure[] {
  return Object.entries(SHARES).map(([name, share]) => {
    const values = (spell: keyof TickRound): number[] =>
      rounds.map((round) => quantileOf(round[spell], share) * MS_PER_S);
    return {
      name: `tick lateness ${name} of ${of}`,
      unit: 'ms',
      ours: values('beside'),
      anchor: { name: without, values: values('quiet') },
      target: { atMost: ONE_STEP },
    };
  });
}

export function describeTicks({ quiet, beside }: TickRound): string {
  const show = (ticks: Histogram): string =>
    Object.values(SHARES)
      .map((share) => (quantileOf(ticks, share) * MS_PER_S).toFixed(2))
      .join('/');
  return `without ${show(quiet)}, beside ${show(beside)} ms (p99/p99.9)`;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
