import { type GeneratorReport, lossesOf } from '../generator/generator-report.ts';
import { cpuSeconds, machineCpuSeconds, watchCores } from '../process-usage.ts';
import type { CallSystem, TickReport } from './call-system.ts';

/** A tick that is later than this delays a whole frame. */
const MAX_TICK_LATENESS_P999_MS = 20;
/** Tolerated share of breaks, because a hiccup of the machine also causes some. */
const MAX_BREAK_SHARE = 1e-4;
/** Always tolerated, because the share allows none among few frames. */
const BREAKS_LET_PASS = 3;

/** Measurements of all calls over some seconds. */
export interface Observation {
  readonly calls: number;
  readonly report: GeneratorReport;
  readonly ticks: TickReport | null;
  /** Cores used: by the program with all its threads, by the generator, by everything else on the machine. */
  readonly cores: number;
  readonly generatorCores: number;
  readonly otherCores: number;
  /** Reasons why this number of calls was not held; empty if it was. */
  readonly faults: readonly string[];
}

export async function observe(system: CallSystem, seconds: number): Promise<Observation> {
  const ticksSince = await system.watchTicks();
  const missedSince = await system.watchOthers?.();
  const usage = startUsage([system.pid, system.generator.pid]);
  await system.generator.begin();
  await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
  const report = await system.generator.end();
  const [cores = Number.NaN, generatorCores = Number.NaN, otherCores = Number.NaN] = usage();
  const ticks = (await ticksSince?.()) ?? null;
  const missed = (await missedSince?.()) ?? [];
  const { calls, ends } = system;
  const faults = [
    ...lossesOf(report, calls * ends.phones, calls * ends.agents),
    ...breakFaults(report),
    ...tickFaults(ticks),
    ...missed,
  ];
  return { calls, report, ticks, cores, generatorCores, otherCores, faults };
}

function breakFaults({ phones, agents }: GeneratorReport): string[] {
  const [breaks, frames] = [phones.breaks + agents.breaks, phones.received + agents.received];
  return breaks > Math.max(BREAKS_LET_PASS, frames * MAX_BREAK_SHARE)
    ? [`${breaks} breaks in ${frames} frames`]
    : [];
}

function tickFaults(ticks: TickReport | null): string[] {
  if (ticks === null) return [];
  const faults: string[] = [];
  if (ticks.skipped > 0) faults.push(`${ticks.skipped} ticks skipped`);
  if (!(ticks.latenessP999Ms <= MAX_TICK_LATENESS_P999_MS))
    faults.push(`ticks late by ${ticks.latenessP999Ms} ms (p99.9)`);
  return faults;
}

/** Measures the cores used by each process, and by all others, until the returned function is called. */
function startUsage(pids: readonly number[]): () => number[] {
  const processes = pids.map((pid) => watchCores(() => cpuSeconds(pid)));
  const all = watchCores(machineCpuSeconds);
  return () => {
    const used = processes.map((coresUsed) => coresUsed());
    const machine = all();
    return [...used, Math.max(0, machine - used.reduce((sum, value) => sum + value, 0))];
  };
}

export function describe({
  calls,
  report,
  ticks,
  cores,
  generatorCores,
  otherCores,
  faults,
}: Observation): string {
  const { phones, agents } = report;
  return [
    `${calls} calls, ${cores.toFixed(2)} cores (generator ${generatorCores.toFixed(2)}, others ${otherCores.toFixed(2)})`,
    ...(ticks === null ? [] : [`ticks late p99.9 ${ticks.latenessP999Ms} ms`]),
    `breaks ${phones.breaks + agents.breaks}`,
    faults.length === 0 ? 'held' : `NOT HELD: ${faults.join(', ')}`,
  ].join('; ');
}
