import type { Metric, Registry } from 'prom-client';

/** One value of a metric. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** Accumulated values of one histogram series. */
export interface Distribution {
  /** One non-cumulative count per bound, and one for everything above the last. */
  readonly counts: ArrayLike<number>;
  readonly sumS: number;
}

type MetricType = 'gauge' | 'counter' | 'histogram';

/**
 * Metrics whose values are kept elsewhere and read on demand. The library's own metrics accumulate and cannot be set, but
 * it accepts any object with `get`.
 */
export class ReadMetrics {
  readonly #registry: Registry;

  constructor(registry: Registry) {
    this.#registry = registry;
  }

  gauge(name: string, help: string, read: () => number): void {
    this.samples('gauge', name, help, () => [{ value: read(), labels: {} }]);
  }

  counter(name: string, help: string, read: () => number): void {
    this.samples('counter', name, help, () => [{ value: read(), labels: {} }]);
  }

  /** `read` returns a value for each value of the label. */
  gauges(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void {
    this.samples('gauge', name, help, () => labelled(label, read()));
  }

  counters(name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>): void {
    this.samples('counter', name, help, () => labelled(label, read()));
  }

  samples(type: MetricType, name: string, help: string, read: () => readonly Sample[]): void {
    const get = async () => ({ name, type, help, values: read(), aggregator: 'sum' });
    this.#registry.registerMetric({ name, get } as unknown as Metric);
  }
}

function labelled(label: string, values: Iterable<readonly [string, number]>): Sample[] {
  return Array.from(values, ([name, value]) => ({ value, labels: { [label]: name } }));
}

/** A histogram series in Prometheus format: cumulative buckets, sum and count. */
export function histogramSamples(
  name: string,
  labels: Sample['labels'],
  boundsS: readonly number[],
  { counts, sumS }: Distribution,
): Sample[] {
  let below = 0;
  const buckets = Array.from(counts, (count, index) => {
    below += count;
    return {
      value: below,
      labels: { le: boundsS[index] ?? '+Inf', ...labels },
      metricName: `${name}_bucket`,
    };
  });
  return [
    ...buckets,
    { value: sumS, labels, metricName: `${name}_sum` },
    { value: below, labels, metricName: `${name}_count` },
  ];
}
