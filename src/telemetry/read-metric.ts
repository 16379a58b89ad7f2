import type { Metric, Registry } from 'prom-client';

/** One value of a metric. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** A metric whose values are kept elsewhere and read on demand. */
export interface ReadMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly samples: () => readonly Sample[];
}

/** A metric with a single value. */
export interface ReadValue extends Omit<ReadMetric, 'samples'> {
  readonly value: () => number;
}

/** Accumulated values of one histogram series. */
export interface Distribution {
  /** One non-cumulative count per bound, and one for everything above the last. */
  readonly counts: ArrayLike<number>;
  readonly sumS: number;
}

/**
 * Registers a metric that is read on demand. The library's own metrics accumulate and cannot be set, but it accepts any
 * object with `get`.
 */
export function registerReadMetric(registry: Registry, metric: ReadMetric): void {
  const { name, type, help, samples } = metric;
  const get = async () => ({ name, type, help, values: samples(), aggregator: 'sum' });
  registry.registerMetric({ name, get } as unknown as Metric);
}

/** Like `registerReadMetric`, for a metric with a single value. */
export function registerReadValue(registry: Registry, { value, ...metric }: ReadValue): void {
  registerReadMetric(registry, { ...metric, samples: () => [{ value: value(), labels: {} }] });
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
