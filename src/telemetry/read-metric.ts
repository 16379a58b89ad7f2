import type { Metric, Registry } from 'prom-client';

/** One number of a metric. */
export interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

/** A metric whose numbers are kept elsewhere and read when somebody asks. */
export interface ReadMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly samples: () => readonly Sample[];
}

/** What one series of a histogram has counted. */
export interface Distribution {
  /** One count for each bound, not cumulative, and one for what is beyond. */
  readonly counts: ArrayLike<number>;
  readonly sumS: number;
}

/** The library's own metrics add up by themselves and cannot be set; all it asks of others is `get`. */
export function registerReadMetric(registry: Registry, metric: ReadMetric): void {
  const { name, type, help, samples } = metric;
  const get = async () => ({ name, type, help, values: samples(), aggregator: 'sum' });
  registry.registerMetric({ name, get } as unknown as Metric);
}

/** A series of a histogram as Prometheus wants it: buckets that count all that is below their bound, sum and count. */
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
