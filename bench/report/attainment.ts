import type { Measure, Target } from '../bench.ts';
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
  const times = (figure: number) => timesBetter(figure, target);
  const ends = [times(rounds.lowest), times(rounds.highest)];
  return { value: times(value), lowest: Math.min(...ends), highest: Math.max(...ends) };
}

/** Zero or less (after subtracting a baseline) is better than any upper limit. */
function timesBetter(figure: number, target: Target): number {
  if ('atLeast' in target) return figure / target.atLeast;
  return figure <= 0 ? Number.POSITIVE_INFINITY : target.atMost / figure;
}

/** Position of a value on a logarithmic scale from 0.1 to 10. Values beyond are placed at its ends. */
export function xOf(
  value: number,
  { left, width }: { readonly left: number; readonly width: number },
): number {
  const share = (Math.log10(value) / Math.log10(SCALE_TOP) + 1) / 2;
  return left + width * Math.min(1, Math.max(0, Number.isNaN(share) ? 0 : share));
}
