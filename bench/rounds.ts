import type { BenchContext, Measure } from './bench.ts';
import { quantile } from './quantiles.ts';

/** Values of one round, in milliseconds. */
type Values<Round> = (round: Round) => readonly number[];

/** Measures one round after the other. `describe` says what one was like, for the progress. */
export async function measureRounds<Round>(
  { rounds, progress }: BenchContext,
  measure: () => Promise<Round>,
  describe: (round: Round) => string,
): Promise<Round[]> {
  const measured: Round[] = [];
  for (let round = 1; round <= rounds; round++) {
    const latest = await measure();
    progress(`round ${round}: ${describe(latest)}`);
    measured.push(latest);
  }
  return measured;
}

/** A quantile of the values of each round. */
function quantilesOf<Round>(rounds: readonly Round[], values: Values<Round>, share: number): number[] {
  return rounds.map((round) => quantile(values(round), share));
}

/** A line of the table: a quantile of delays. */
export function delayMeasure<Round>(
  rounds: readonly Round[],
  {
    values,
    share,
    ...said
  }: Pick<Measure, 'name' | 'target' | 'note'> & {
    readonly values: Values<Round>;
    readonly share: number;
  },
): Measure {
  return {
    ...said,
    name: `${said.name} p${share * 100}`,
    unit: 'ms',
    ours: quantilesOf(rounds, values, share),
  };
}

/** p50 and p99. */
export function showDelays(values: readonly number[]): string {
  return [0.5, 0.99].map((share) => quantile(values, share).toFixed(2)).join('/');
}
