import type { Metric, Registry } from 'prom-client';

/** What the engine has counted so far, in total; read when the metrics are. */
export interface EngineReading {
  readonly threads: number;
  /** `calls`, `agent_legs` and `native_io_threads` are of this moment, all others only grow. */
  readonly counters: Readonly<Record<string, number>>;
  readonly latenessBoundsMs: readonly number[];
  /** One count for each bound, not cumulative, and one for what is beyond. */
  readonly latenessCounts: readonly number[];
  readonly latenessSumMs: number;
}

export type ReadEngine = () => EngineReading;

interface Sample {
  readonly value: number;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly metricName?: string;
}

const MOMENTARY = new Set(['calls', 'agent_legs', 'native_io_threads']);

/** Shows the engine's own counters; they live in shared memory, so there is nothing to add up here. */
export function registerEngineMetrics(registry: Registry, read: ReadEngine): void {
  const { counters } = read();
  for (const name of Object.keys(counters)) {
    const momentary = MOMENTARY.has(name);
    register(registry, {
      name: momentary ? `svc_engine_${name}` : `svc_engine_${name}_total`,
      type: momentary ? 'gauge' : 'counter',
      help: `${name.replaceAll('_', ' ')} of the media engine`,
      samples: () => [{ value: read().counters[name] ?? 0, labels: {} }],
    });
  }
  register(registry, {
    name: 'svc_engine_threads',
    type: 'gauge',
    help: 'Media threads that run',
    samples: () => [{ value: read().threads, labels: {} }],
  });
  register(registry, {
    name: TICK_LATENESS,
    type: 'histogram',
    help: 'How late the 20 ms tick of the media threads began',
    samples: () => latenessSamples(read()),
  });
}

const TICK_LATENESS = 'svc_engine_tick_lateness_seconds';

function latenessSamples(reading: EngineReading): Sample[] {
  let below = 0;
  const buckets = reading.latenessCounts.map((count, index) => {
    below += count;
    const boundMs = reading.latenessBoundsMs[index];
    const le = boundMs === undefined ? '+Inf' : boundMs / 1000;
    return { value: below, labels: { le }, metricName: `${TICK_LATENESS}_bucket` };
  });
  return [
    ...buckets,
    { value: reading.latenessSumMs / 1000, labels: {}, metricName: `${TICK_LATENESS}_sum` },
    { value: below, labels: {}, metricName: `${TICK_LATENESS}_count` },
  ];
}

interface ReadMetric {
  readonly name: string;
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly samples: () => readonly Sample[];
}

/** The library's own metrics add up by themselves and cannot be set; all it asks of others is `get`. */
function register(registry: Registry, metric: ReadMetric): void {
  const { name, type, help, samples } = metric;
  const get = async () => ({ name, type, help, values: samples(), aggregator: 'sum' });
  registry.registerMetric({ name, get } as unknown as Metric);
}
