import { setTimeout as pause } from 'node:timers/promises';
import {
  cpuSeconds,
  machineCpuSeconds,
  mainThreadCpuSeconds,
  mainThreadWaitSeconds,
  residentBytes,
  watchCores,
} from '../process-usage.ts';
import { quantile } from '../quantiles.ts';
import type { Measured, SlowPeriod } from './report.ts';
import type { ProbeReport, Stage } from './stage.ts';

/** By then, effects of an attack on queues and timers are visible. */
const AFTERMATH_MS = 1_000;
/** Slow answers closer together than this count as one period. */
const PERIOD_GAP_MS = 500;

interface Measurement<Done> {
  readonly done: Done;
  readonly measured: Measured;
  /** Of all requests of the prober. */
  readonly latenciesMs: readonly number[];
}

/** Measures the gateway, its call and its other clients during `work`. */
export async function measure<Done>(stage: Stage, work: () => Promise<Done>): Promise<Measurement<Done>> {
  const { prober, call, guard, gateway } = stage;
  await Promise.all([prober.ask(), call.takeLoss()]);
  guard.takePeakBytes();
  const cores = [
    watchCores(() => ifRunning(() => cpuSeconds(gateway.pid))),
    watchCores(machineCpuSeconds),
    watchCores(() => ifRunning(() => mainThreadCpuSeconds(gateway.pid))),
    watchCores(() => ifRunning(() => mainThreadWaitSeconds(gateway.pid))),
  ];
  const [beganMs, beganAtMs] = [performance.now(), Date.now()];
  const done = await work();
  const seconds = (performance.now() - beganMs) / 1_000;
  const [gatewayCores = 0, machineCores = 0, mainCores = 0, mainWaits = 0] = cores.map((used) => used());
  await pause(AFTERMATH_MS);
  const { latenciesMs, slow, failures } = await prober.ask();
  const loss = await call.takeLoss();
  const measured = {
    ...{ seconds, gatewayCores, machineCores, mainCores, mainWaits, ...quantiles(latenciesMs), ...loss },
    ...{
      requests: latenciesMs.length,
      failedRequests: failures,
      slowPeriods: slowPeriodsOf(slow, beganAtMs),
    },
    peakBytes: guard.takePeakBytes(),
    residentBytes: gateway.running ? residentBytes(gateway.pid) : 0,
  };
  return { done, measured, latenciesMs };
}

/** Returns 0 if the process has ended. */
function ifRunning(seconds: () => number): number {
  try {
    return seconds();
  } catch {
    return 0;
  }
}

/** Groups slow answers into periods, with times since the beginning. */
function slowPeriodsOf(slow: ProbeReport['slow'], beganAtMs: number): SlowPeriod[] {
  const periods: { atS: number; untilMs: number; maxMs: number }[] = [];
  for (const { atMs, latencyMs } of slow) {
    const last = periods.at(-1);
    if (last !== undefined && atMs - last.untilMs < PERIOD_GAP_MS) {
      last.untilMs = atMs;
      last.maxMs = Math.max(last.maxMs, latencyMs);
    } else periods.push({ atS: (atMs - beganAtMs) / 1_000, untilMs: atMs, maxMs: latencyMs });
  }
  return periods.map(({ atS, maxMs }) => ({ atS, maxMs }));
}

export function quantiles(latenciesMs: readonly number[]) {
  const [p50Ms = Number.NaN, p99Ms = Number.NaN, maxMs = Number.NaN] = [0.5, 0.99, 1].map((share) =>
    quantile(latenciesMs, share),
  );
  return { p50Ms, p99Ms, maxMs };
}
