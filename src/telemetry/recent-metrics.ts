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
  readonly #sumOf: (name: string) => Promise<number>;
  readonly #clock: Pick<Clock, 'after' | 'nowIso'>;
  readonly #samples: MetricsSample[] = [];
  #cancel: CancelTimer = () => {};

  /** `sumOf` sums a metric over its labels. */
  constructor(sumOf: (name: string) => Promise<number>, clock: Pick<Clock, 'after' | 'nowIso'>) {
    this.#sumOf = sumOf;
    this.#clock = clock;
  }

  /** Oldest first. */
  get samples(): readonly MetricsSample[] {
    return this.#samples;
  }

  start(): void {
    this.#cancel = this.#clock.after(INTERVAL_MS, () => {
      this.start();
      // Of metrics that cannot be read there is no sample; `/metrics` says why.
      void this.#take().catch(() => {});
    });
  }

  close(): void {
    this.#cancel();
  }

  async #take(): Promise<void> {
    const read = async ([field, name]: readonly [string, string]) =>
      [field, await this.#sumOf(name)] as const;
    const values = await Promise.all(Object.entries(NAMES).map(read));
    this.#samples.push({ at: this.#clock.nowIso(), ...Object.fromEntries(values) } as MetricsSample);
    if (this.#samples.length > MAX_SAMPLES) this.#samples.shift();
  }
}
