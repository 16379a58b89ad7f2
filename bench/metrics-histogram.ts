/** A Prometheus histogram: the count at or below each bound. The last bound is infinity. */
export interface Histogram {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** Reads a histogram without labels of its own from the text of `/metrics`. Throws if it is missing. */
export function readHistogram(metrics: string, name: string): Histogram {
  const buckets = [...metrics.matchAll(new RegExp(`^${name}_bucket\\{.*?le="([^"]+)".*?\\} (\\S+)$`, 'gm'))];
  if (buckets.length === 0) throw new Error(`/metrics has no ${name}`);
  return {
    bounds: buckets.map(([, bound]) => (bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound))),
    counts: buckets.map(([, , count]) => Number(count)),
  };
}

/** Returns what was counted between two readings. */
export function difference(before: Histogram, after: Histogram): Histogram {
  return {
    bounds: after.bounds,
    counts: after.counts.map((count, i) => count - (before.counts[i] ?? 0)),
  };
}

/**
 * The value that this share does not exceed, interpolated between the bounds of its bucket; the highest finite bound
 * for values beyond it, NaN without values.
 */
export function quantileOf({ bounds, counts }: Histogram, share: number): number {
  const wanted = share * (counts.at(-1) ?? 0);
  if (!(wanted > 0)) return Number.NaN;
  const bucket = counts.findIndex((count) => count >= wanted);
  const upper = bounds[bucket] as number;
  const lower = bounds[bucket - 1] ?? 0;
  if (!Number.isFinite(upper)) return lower;
  const below = counts[bucket - 1] ?? 0;
  return lower + ((upper - lower) * (wanted - below)) / ((counts[bucket] as number) - below);
}

/** The upper bound of the bucket with this quantile: infinity for the last one, NaN without values. */
export function quantileBound({ bounds, counts }: Histogram, share: number): number {
  const total = counts.at(-1) ?? 0;
  if (total === 0) return Number.NaN;
  return bounds[counts.findIndex((count) => count >= share * total)] ?? Number.POSITIVE_INFINITY;
}
