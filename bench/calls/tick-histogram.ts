/** Bins of a Prometheus histogram in seconds: upper bound in milliseconds, and how many lie at or below it. */
export type Histogram = readonly (readonly [boundMs: number, count: number])[];

export function histogramOf(metrics: string, name: string): Histogram {
  const line = new RegExp(`^${name}_bucket\\{.*?le="([^"]+)".*?\\} (\\S+)$`, 'gm');
  return [...metrics.matchAll(line)].map(([, bound = '', count = '']) => [
    bound === '+Inf' ? Number.POSITIVE_INFINITY : Number((Number(bound) * 1_000).toFixed(6)),
    Number(count),
  ]);
}

/** The upper bound of the bin that holds this share of all; NaN when there are none. */
export function quantileBound(histogram: Histogram, share: number): number {
  const total = histogram.at(-1)?.[1] ?? 0;
  if (total === 0) return Number.NaN;
  return histogram.find(([, count]) => count >= share * total)?.[0] ?? Number.POSITIVE_INFINITY;
}
