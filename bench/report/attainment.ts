import type { Measure } from '../bench.ts';
import { judge } from './judgement.ts';

const SCALE_TOP = 10;

/** How many times better than its target a measure is, in all and in its worst and its best round. */
export interface Attainment {
  readonly value: number;
  readonly lowest: number;
  readonly highest: number;
}

/** Null without a target or without the anchor that it needs. */
export function attainmentOf(measure: Measure): Attainment | null {
  const { target, anchor } = measure;
  const { ours, oursSpread, ratio, ratioSpread } = judge(measure);
  const value = anchor === undefined ? ours : ratio;
  const rounds = anchor === undefined ? oursSpread : ratioSpread;
  if (target === undefined || value === null || rounds === null) return null;
  const times = (figure: number) => ('atLeast' in target ? figure / target.atLeast : target.atMost / figure);
  const ends = [times(rounds.lowest), times(rounds.highest)];
  return { value: times(value), lowest: Math.min(...ends), highest: Math.max(...ends) };
}

/** Where a value stands on a logarithmic scale of a tenth to ten; what is beyond stands at its end. */
export function xOf(
  value: number,
  { left, width }: { readonly left: number; readonly width: number },
): number {
  const share = (Math.log10(value) / Math.log10(SCALE_TOP) + 1) / 2;
  return left + width * Math.min(1, Math.max(0, Number.isNaN(share) ? 0 : share));
}
