import type { Registry } from 'prom-client';
import { histogramSamples, registerReadMetric, registerReadValue, type Sample } from './read-metric.ts';

/** Totals of the media engine, read when the metrics are rendered. */
export interface EngineReading {
  readonly threads: number;
  /** Library name per thread that has loaded one. */
  readonly opusLibraries: readonly string[];
  /** `calls`, `agent_legs` and `native_io_threads` are current values; all others are running totals. */
  readonly counters: Readonly<Record<string, number>>;
  readonly latenessBoundsMs: readonly number[];
  /** One non-cumulative count per bound, and one for everything above the last. */
  readonly latenessCounts: readonly number[];
  readonly latenessSumMs: number;
  /** Of jitter buffers, once per second and call; as above. */
  readonly delayBoundsMs: readonly number[];
  readonly delayCounts: readonly number[];
  readonly delaySumMs: number;
}

export type ReadEngine = () => EngineReading;

const MOMENTARY = new Set(['calls', 'agent_legs', 'native_io_threads']);

/** Registers the engine's counters. They live in shared memory and are read on demand. */
export function registerEngineMetrics(registry: Registry, read: ReadEngine): void {
  const { counters } = read();
  for (const name of Object.keys(counters)) {
    const momentary = MOMENTARY.has(name);
    registerReadMetric(registry, {
      name: momentary ? `svc_engine_${name}` : `svc_engine_${name}_total`,
      type: momentary ? 'gauge' : 'counter',
      help: `${name.replaceAll('_', ' ')} of the media engine`,
      samples: () => [{ value: read().counters[name] ?? 0, labels: {} }],
    });
  }
  registerReadValue(registry, {
    name: 'svc_engine_threads',
    type: 'gauge',
    help: 'Running media threads',
    value: () => read().threads,
  });
  registerReadMetric(registry, {
    name: 'svc_engine_opus_threads',
    type: 'gauge',
    help: 'Media threads, by Opus library',
    samples: () => opusSamples(read()),
  });
  registerReadMetric(registry, {
    name: TICK_LATENESS,
    type: 'histogram',
    help: 'Lateness of the 20 ms tick of the media threads',
    samples: () => latenessSamples(read()),
  });
  registerReadMetric(registry, {
    name: JITTER_DELAY,
    type: 'histogram',
    help: 'Delay of the jitter buffers, recorded once per second and call',
    samples: () => delaySamples(read()),
  });
}

const TICK_LATENESS = 'svc_engine_tick_lateness_seconds';
const JITTER_DELAY = 'svc_engine_jitter_delay_seconds';

function opusSamples({ opusLibraries }: EngineReading): Sample[] {
  return [...new Set(opusLibraries)].map((library) => ({
    value: opusLibraries.filter((name) => name === library).length,
    labels: { library },
  }));
}

function latenessSamples({ latenessBoundsMs, latenessCounts, latenessSumMs }: EngineReading): Sample[] {
  const boundsS = latenessBoundsMs.map((ms) => ms / 1_000);
  return histogramSamples(TICK_LATENESS, {}, boundsS, {
    counts: latenessCounts,
    sumS: latenessSumMs / 1_000,
  });
}

function delaySamples({ delayBoundsMs, delayCounts, delaySumMs }: EngineReading): Sample[] {
  const boundsS = delayBoundsMs.map((ms) => ms / 1_000);
  return histogramSamples(JITTER_DELAY, {}, boundsS, { counts: delayCounts, sumS: delaySumMs / 1_000 });
}
