export interface Spread {
  readonly lowest: number;
  readonly highest: number;
}

/** The median: the mean of the middle two for an even number of values, NaN without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2;
}

/** Ratios by round, where both have one: what slows the machine for a while slows both sides of a round. */
export function ratios(ours: readonly number[], anchor: readonly number[]): number[] {
  return ours.slice(0, anchor.length).map((value, round) => value / (anchor[round] as number));
}

export function spread(values: readonly number[]): Spread {
  return { lowest: Math.min(...values), highest: Math.max(...values) };
}
