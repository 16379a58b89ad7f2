import { histogramSamples, type ReadMetrics, type Sample } from './read-metric.ts';

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

const MOMENTARY = new Set(['calls', 'agent_legs', 'native_io_threads']);
const TICK_LATENESS = 'svc_engine_tick_lateness_seconds';
const JITTER_DELAY = 'svc_engine_jitter_delay_seconds';

/** Registers the engine's counters. They live in shared memory and are read on demand. */
export function registerEngineMetrics(metrics: ReadMetrics, read: () => EngineReading): void {
  for (const name of Object.keys(read().counters)) {
    const help = `${name.replaceAll('_', ' ')} of the media engine`;
    const value = (): number => read().counters[name] ?? 0;
    if (MOMENTARY.has(name)) metrics.gauge(`svc_engine_${name}`, help, value);
    else metrics.counter(`svc_engine_${name}_total`, help, value);
  }
  metrics.gauge('svc_engine_threads', 'Running media threads', () => read().threads);
  metrics.gauges('svc_engine_opus_threads', 'Media threads, by Opus library', 'library', () =>
    countsOf(read().opusLibraries),
  );
  const lateness = 'Lateness of the 20 ms tick of the media threads';
  metrics.samples('histogram', TICK_LATENESS, lateness, () => latenessSamples(read()));
  const delay = 'Delay of the jitter buffers, recorded once per second and call';
  metrics.samples('histogram', JITTER_DELAY, delay, () => delaySamples(read()));
}

function countsOf(names: readonly string[]): [string, number][] {
  return [...new Set(names)].map((name) => [name, names.filter((each) => each === name).length]);
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
