export interface Spread {
  readonly lowest: number;
  readonly highest: number;
}

/** Of an even number of values, the mean of the middle two; NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const upper = sorted[sorted.length >> 1] ?? Number.NaN;
  if (sorted.length % 2 === 1) return upper;
  return (upper + (sorted[(sorted.length >> 1) - 1] ?? Number.NaN)) / 2;
}

/** Round by round, as far as both have one: what hampers the machine for a while hampers both sides of a round. */
export function ratios(ours: readonly number[], anchor: readonly number[]): number[] {
  return ours.slice(0, anchor.length).map((value, round) => value / (anchor[round] as number));
}

export function spread(values: readonly number[]): Spread {
  return { lowest: Math.min(...values), highest: Math.max(...values) };
}
