/** One reading of `/metrics`. */
export interface Metrics {
  /** A metric, summed over its labels; null if there is none. */
  sum(name: string): number | null;
}

/** Reads Prometheus text. */
export function parseMetrics(text: string): Metrics {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.search(/[{ ]/));
    const value = Number(line.slice(line.lastIndexOf(' ') + 1));
    sums.set(name, (sums.get(name) ?? 0) + value);
  }
  return { sum: (name) => sums.get(name) ?? null };
}
