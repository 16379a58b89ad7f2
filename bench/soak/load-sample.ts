import type { Gateway } from '../../test/support/gateway.ts';
import type { Generator } from '../generator/generator.ts';
import { difference, type Histogram, quantileBound, readHistogram } from '../metrics-histogram.ts';
import { cpuSeconds, mainThreadCpuSeconds, stolenCpuSeconds, watchCores } from '../process-usage.ts';

const LATENESS = 'svc_engine_tick_lateness_seconds';
/** The gateway looks at its event loop so often, and Node counts the time until a look as delay. */
const LOOP_LOOK_MS = 100;

/** Lateness and its effects during one sample of a soak, to explain failed calls. */
export interface LoadSample {
  readonly endedAtMinutes: number;
  /** All of the gateway, and of it main. */
  readonly gatewayCores: number;
  readonly mainCores: number;
  /** Taken from this machine by others on its host. */
  readonly stolenCores: number;
  /** The latest tick of the engine: upper bound of its bucket. */
  readonly latestTickMs: number;
  /** The longest delay of the main thread's event loop. */
  readonly longestLoopMs: number;
  readonly skippedTicks: number;
  /** `call_error` messages about audio dropped on its way to an agent. */
  readonly overruns: number;
  /** The generator's own lateness, and the frames it skipped. */
  readonly latestSendMs: number;
  readonly leftOutMs: number;
}

interface Counters {
  readonly ticks: Histogram;
  readonly longestLoopMs: number;
  readonly skippedTicks: number;
  readonly overruns: number;
}

/** Samples the gateway and the generator. */
export class LoadSampler {
  readonly #gateway: Gateway;
  readonly #generator: Generator;
  readonly #beganMs = performance.now();
  #meters: readonly (() => number)[];
  #before: Counters;

  private constructor(gateway: Gateway, generator: Generator, before: Counters) {
    this.#gateway = gateway;
    this.#generator = generator;
    this.#before = before;
    this.#meters = meters(gateway.pid);
  }

  static async begin(gateway: Gateway, generator: Generator): Promise<LoadSampler> {
    await generator.lateness();
    return new LoadSampler(gateway, generator, await read(gateway));
  }

  /** Covers the time since the previous sample, or since the beginning. */
  async next(): Promise<LoadSample> {
    const [gatewayCores, mainCores, stolenCores] = this.#meters.map((meter) => meter()) as [
      number,
      number,
      number,
    ];
    this.#meters = meters(this.#gateway.pid);
    const [before, after] = [this.#before, await read(this.#gateway)];
    this.#before = after;
    const { leftOutMs, sending } = await this.#generator.lateness();
    return {
      endedAtMinutes: (performance.now() - this.#beganMs) / 60_000,
      ...{ gatewayCores, mainCores, stolenCores },
      latestTickMs: quantileBound(difference(before.ticks, after.ticks), 1) * 1_000,
      longestLoopMs: after.longestLoopMs,
      skippedTicks: after.skippedTicks - before.skippedTicks,
      overruns: after.overruns - before.overruns,
      latestSendMs: sending.maxMs,
      leftOutMs,
    };
  }
}

function meters(pid: number): readonly (() => number)[] {
  return [() => cpuSeconds(pid), () => mainThreadCpuSeconds(pid), stolenCpuSeconds].map(watchCores);
}

/** The gateway's own figures. The event loop's covers the time since the last query. */
async function read(gateway: Gateway): Promise<Counters> {
  const text = `${(await gateway.api(null).get('/metrics')).body}`;
  const one = (name: string): number =>
    Number(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'm').exec(text)?.[1] ?? 0);
  return {
    ticks: readHistogram(text, LATENESS),
    longestLoopMs: Math.max(0, one('nodejs_eventloop_lag_max_seconds') * 1_000 - LOOP_LOOK_MS),
    skippedTicks: one('svc_engine_skipped_ticks_total'),
    overruns: Number(
      /^svc_stream_errors_total\{[^}]*code="audio_overrun"[^}]*\} (\S+)$/m.exec(text)?.[1] ?? 0,
    ),
  };
}

/** In one line. */
export function describeLoadSample(sample: LoadSample): string {
  return (
    `${sample.gatewayCores.toFixed(2)} cores (main ${sample.mainCores.toFixed(2)}, stolen ${sample.stolenCores.toFixed(2)}), ` +
    `at worst: tick ${sample.latestTickMs.toFixed(0)} ms late, loop ${sample.longestLoopMs.toFixed(0)} ms, ` +
    `generator ${sample.latestSendMs.toFixed(0)} ms late; ${sample.overruns} overruns, ${sample.skippedTicks} ticks skipped, ` +
    `${sample.leftOutMs.toFixed(0)} ms left out`
  );
}
