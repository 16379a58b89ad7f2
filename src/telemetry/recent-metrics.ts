import type { CancelTimer, Clock } from '../base/time.ts';

const INTERVAL_MS = 10_000;
/** An hour. */
const MAX_SAMPLES = 360;

/** What is kept of the metrics, each summed over its labels. */
const NAMES = {
  calls: 'svc_calls',
  cpu_seconds: 'process_cpu_seconds_total',
  memory_bytes: 'process_resident_memory_bytes',
  requests: 'svc_http_request_duration_seconds_count',
  late_seconds: 'svc_engine_tick_lateness_seconds_sum',
  ticks: 'svc_engine_tick_lateness_seconds_count',
  refused_calls: 'svc_calls_refused_total',
} as const;

/** One reading. All but `calls` and `memory_bytes` are totals since the start. */
export type MetricsSample = Readonly<Record<keyof typeof NAMES, number>> & { readonly at: string };

/** The metrics of the last hour, so that somebody who comes when there is a problem sees how it began. */
export class RecentMetrics {
  readonly #text: () => Promise<string>;
  readonly #clock: Pick<Clock, 'after' | 'nowIso'>;
  readonly #samples: MetricsSample[] = [];
  #cancel: CancelTimer = () => {};

  /** `text` renders all metrics in Prometheus text format. */
  constructor(text: () => Promise<string>, clock: Pick<Clock, 'after' | 'nowIso'>) {
    this.#text = text;
    this.#clock = clock;
  }

  /** Oldest first. */
  get samples(): readonly MetricsSample[] {
    return this.#samples;
  }

  start(): void {
    this.#cancel = this.#clock.after(INTERVAL_MS, () => {
      this.start();
      // Of metrics that cannot be rendered there is no sample; `/metrics` says why.
      void this.#take().catch(() => {});
    });
  }

  close(): void {
    this.#cancel();
  }

  async #take(): Promise<void> {
    const sums = sumsOf(await this.#text());
    const values = Object.entries(NAMES).map(([field, name]) => [field, sums.get(name) ?? 0]);
    this.#samples.push({ at: this.#clock.nowIso(), ...Object.fromEntries(values) });
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }
}

/** Reads Prometheus text: each metric, summed over its labels. */
function sumsOf(text: string): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  for (const line of text.split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const name = line.slice(0, line.search(/[{ ]/));
    sums.set(name, (sums.get(name) ?? 0) + Number(line.slice(line.lastIndexOf(' ') + 1)));
  }
  return sums;
}
