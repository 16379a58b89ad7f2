import type { Measure, Target } from '../bench.ts';
import { median, ratios, type Spread, spread } from './statistics.ts';

/** What a measure says when its rounds are put together. */
export interface Judgement {
  readonly ours: number;
  readonly anchor: number | null;
  /** Ratio of the medians, and how far apart the ratios of the rounds were. */
  readonly ratio: number | null;
  readonly ratioSpread: Spread | null;
  readonly oursSpread: Spread;
  /** Null: there is no target, or its anchor is missing. */
  readonly reached: boolean | null;
}

export function judge(measure: Measure): Judgement {
  const { anchor, target } = measure;
  const values = anchor !== undefined && 'values' in anchor ? anchor.values : [];
  const ours = median(measure.ours);
  const ratio = values.length > 0 ? ours / median(values) : null;
  const judged = anchor === undefined ? ours : ratio;
  return {
    ours,
    anchor: values.length > 0 ? median(values) : null,
    ratio,
    ratioSpread: ratio === null ? null : spread(ratios(measure.ours, values)),
    oursSpread: spread(measure.ours),
    reached: target === undefined || judged === null ? null : reaches(judged, target),
  };
}

/** A figure that could not be taken (NaN) reaches nothing. */
function reaches(value: number, target: Target): boolean {
  return 'atLeast' in target ? value >= target.atLeast : value <= target.atMost;
}
