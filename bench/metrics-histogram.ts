/** A Prometheus histogram: how many lie at or below each bound, the last bound being infinity. */
export interface Histogram {
  readonly bounds: readonly number[];
  readonly counts: readonly number[];
}

/** Reads the one without labels of its own from the text of `/metrics`. Throws when it is not there. */
export function readHistogram(metrics: string, name: string): Histogram {
  const buckets = [...metrics.matchAll(new RegExp(`^${name}_bucket\\{.*?le="([^"]+)".*?\\} (\\S+)$`, 'gm'))];
  if (buckets.length === 0) throw new Error(`/metrics has no ${name}`);
  return {
    bounds: buckets.map(([, bound]) => (bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound))),
    counts: buckets.map(([, , count]) => Number(count)),
  };
}

/** What came between two readings. */
export function difference(before: Histogram, after: Histogram): Histogram {
  return {
    bounds: after.bounds,
    counts: after.counts.map((count, i) => count - (before.counts[i] ?? 0)),
  };
}

/**
 * The value that this share does not exceed, in a straight line between the bounds of its bucket; the highest bound
 * for what lies beyond it, NaN of nothing.
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

/** The upper bound of the bucket that holds this share of all, infinity for the last; NaN of nothing. */
export function quantileBound({ bounds, counts }: Histogram, share: number): number {
  const total = counts.at(-1) ?? 0;
  if (total === 0) return Number.NaN;
  return bounds[counts.findIndex((count) => count >= share * total)] ?? Number.POSITIVE_INFINITY;
}
