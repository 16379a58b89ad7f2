import type { Measure } from '../bench.ts';
import { quantile } from '../quantiles.ts';
import { showDelays } from '../rounds.ts';
import { type Passage, type Stall, takesMs, undisturbed } from './stalls.ts';

/** A round during which the machine was watched, or could not be. */
export interface WatchedRound {
  readonly stalls: readonly Stall[] | null;
}

/** The p99 of all passages, and of those during which the machine ran both cores; the target is for the latter. */
export function tailMeasures<Round extends WatchedRound>(
  rounds: readonly Round[],
  {
    name,
    passages,
    atMost,
  }: {
    readonly name: string;
    readonly passages: (round: Round) => readonly Passage[];
    readonly atMost: number;
  },
): Measure[] {
  const all = { name: `${name} p99`, unit: 'ms', ours: rounds.map((round) => p99(passages(round))) };
  const kept = rounds.flatMap((round) => (round.stalls ? [undisturbed(passages(round), round.stalls)] : []));
  if (kept.length === 0) return [{ ...all, target: { atMost } }];
  const share = kept.flat().length / rounds.flatMap(passages).length;
  return [
    all,
    {
      name: `${name} p99 without the machine's stalls`,
      unit: 'ms',
      ours: kept.map(p99),
      target: { atMost },
      note: `${Math.round(share * 100)} % of all; the others met a stall, which delayed even a thread that precedes all others`,
    },
  ];
}

function p99(passages: readonly Passage[]): number {
  return quantile(takesMs(passages), 0.99);
}

/** p50 and p99 of all passages, and without those that met a stall. */
export function showTails(passages: readonly Passage[], { stalls }: WatchedRound): string {
  const kept = stalls ? showDelays(takesMs(undisturbed(passages, stalls))) : 'unknown';
  return `${showDelays(takesMs(passages))} (without stalls ${kept})`;
}
