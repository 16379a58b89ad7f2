/**
 * `npm run soak -- --minutes N [--calls M]`: calls come and go at random, M at any time or as many as take 70 % of a
 * core. Ends with 1 when one failed, when memory grows or the run was too short to tell, or when something is not given
 * back.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { waitFor } from '../../test/support/wait-for.ts';
import { planCores } from '../cores.ts';
import { cpuSeconds, residentBytes, watchCores } from '../process-usage.ts';
import { surroundings } from '../report/surroundings.ts';
import { Churn, HOLDS, randomScript, scriptThatEnds, WARM_UP_HOLDS } from './churn.ts';
import { holdingsOf } from './holdings.ts';
import { judgedSlope, type MemoryPoint } from './judgement.ts';
import { describeLoadSample, type LoadSample, LoadSampler } from './load-sample.ts';
import { SoakLine } from './soak-line.ts';
import { isBack, print, type SoakReport } from './soak-report.ts';

/** Of a core, by the CPU time of the gateway. */
const LOAD = 0.7;
/** Calls by which it is found out how many make that load. */
const FIRST_CALLS = 200;
const MEASURE_MS = 30_000;
/** Some time is left when all of them have begun and the load is known. */
const SHORTEST_MINUTES = 3;
/** Maximum number of telephones. */
const MOST_CALLS = 1_000;
const WARM_UP_CALLS = 50;
const WARM_UP_MS = 180_000;
/** Memory counts from here on, in parts of the whole. */
const WARM_UP_SHARE = 0.25;
const SAMPLE_MS = 10_000;
/**
 * V8 may wait for minutes before it collects garbage, and malloc keeps freed memory for up to one. Memory is measured
 * after both were asked to release it.
 */
const COLLECT_MS = 10_000;
/** By then they have done it, on a core that others want, too. */
const COLLECTED_MS = 1_000;
const FIRST_CALL_MS = 1_000;
const DRAIN_DEADLINE_MS = 60_000;
const MAX_FAILURES_SHOWN = 20;

async function soak(minutes: number, calls: number | null): Promise<SoakReport> {
  const { plan, description } = planCores();
  console.log(`${calls ?? `${LOAD * 100} % of a core in`} calls for ${minutes} minutes; ${description}`);
  const line = await SoakLine.start(plan, Math.ceil((calls ?? MOST_CALLS) * 1.3) + 8);
  try {
    return await watch(line, minutes, calls);
  } finally {
    await line.stop();
  }
}

async function watch(line: SoakLine, minutes: number, wanted: number | null): Promise<SoakReport> {
  const { pid } = line.gateway;
  // The first call allocates what the process then keeps.
  const early = await line.live('hung up by the API', FIRST_CALL_MS);
  if (early.length > 0) throw new Error(`the first call failed: ${early.join(', ')}`);
  const before = holdingsOf(pid);
  const warmUp = await warm(line, Math.min(wanted ?? WARM_UP_CALLS, WARM_UP_CALLS));
  const churn = new Churn(line, HOLDS, randomScript);
  const beganMs = performance.now();
  const coresUsed = watchCores(() => cpuSeconds(pid));
  const memory: MemoryPoint[] = [];
  const untilMs = beganMs + minutes * 60_000;
  const samples = followSamples(line, churn, untilMs);
  const collector = setInterval(async () => {
    process.kill(pid, 'SIGUSR2');
    await pause(COLLECTED_MS);
    memory.push({ hours: (performance.now() - beganMs) / 3_600_000, bytes: residentBytes(pid) });
  }, COLLECT_MS);
  const ended = wanted === null ? load(churn, pid, untilMs) : churn.run(wanted, untilMs).then(() => wanted);
  await pause(minutes * 60_000);
  clearInterval(collector);
  const gatewayCores = coresUsed();
  const calls = await ended;
  await waitFor('everything to be given back', async () => isBack(before, holdingsOf(pid)), DRAIN_DEADLINE_MS)
    // The report names the missing calls.
    .catch(() => {});
  const counted = memory.filter(({ hours }) => hours * 60 >= minutes * WARM_UP_SHARE);
  return {
    ...{ minutes, calls, callsEnded: churn.ended },
    failedCalls: warmUp.length + churn.failures.length,
    failures: [...warmUp, ...churn.failures].slice(0, MAX_FAILURES_SHOWN),
    memoryMbPerHour: judgedSlope(counted),
    ...{ memory, samples: await samples, gatewayCores, before, after: holdingsOf(pid) },
  };
}

/** Lets as many calls follow each other as take 70 % of a core here and now, set-up included; resolves with their number. */
async function load(churn: Churn, pid: number, untilMs: number): Promise<number> {
  const first = churn.run(FIRST_CALLS, untilMs);
  // By then each has begun.
  await pause(HOLDS.maxMs);
  const coresUsed = watchCores(() => cpuSeconds(pid));
  await pause(MEASURE_MS);
  const cores = coresUsed();
  const calls = Math.min(MOST_CALLS, Math.max(FIRST_CALLS, Math.round((FIRST_CALLS * LOAD) / cores)));
  console.log(`${FIRST_CALLS} calls take ${cores.toFixed(2)} cores: ${calls} calls from now on`);
  await Promise.all([first, churn.run(calls - FIRST_CALLS, untilMs)]);
  return calls;
}

/** Returns the failures. */
async function warm(line: SoakLine, calls: number): Promise<readonly string[]> {
  console.log(`warming up for ${WARM_UP_MS / 1_000} s`);
  const churn = new Churn(line, WARM_UP_HOLDS, scriptThatEnds);
  await churn.run(calls, performance.now() + WARM_UP_MS);
  console.log(`warmed up by ${churn.done} calls of a second, ${churn.failures.length} failed`);
  return churn.failures;
}

/** Prints and keeps one sample after another. */
async function followSamples(
  { gateway, generator }: SoakLine,
  churn: Churn,
  untilMs: number,
): Promise<LoadSample[]> {
  const kept: LoadSample[] = [];
  const samples = await LoadSampler.begin(gateway, generator);
  while (performance.now() < untilMs) {
    await pause(SAMPLE_MS);
    try {
      const sample = await samples.next();
      kept.push(sample);
      tell(sample, churn, residentBytes(gateway.pid));
    } catch (error) {
      // A gateway that is too busy to tell has failed calls to tell of.
      console.log(`nothing is known of the last ${SAMPLE_MS / 1_000} s: ${(error as Error).message}`);
    }
  }
  return kept;
}

function tell(sample: LoadSample, { live, done, failures }: Churn, bytes: number): void {
  const seconds = Math.round(sample.endedAtMinutes * 60);
  const clock = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`;
  console.log(
    `${clock}  ${live} live, ${done} ended, ${failures.length} failed, ${(bytes / 1e6).toFixed(1)} MB; ${describeLoadSample(sample)}` +
      `${failures.length > 0 ? `; last: ${failures.at(-1)}` : ''}`,
  );
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, calls: { type: 'string' } } });
  const minutes = Number(values.minutes ?? 30);
  const calls = values.calls === undefined ? null : Number(values.calls);
  if (!(minutes > 0) || (calls !== null && !(Number.isInteger(calls) && calls >= 1)))
    throw new Error('--minutes takes a number above 0, --calls a whole number from 1 on');
  if (calls === null && minutes < SHORTEST_MINUTES)
    throw new Error(`finding the load takes a while: --minutes ${SHORTEST_MINUTES} or more, or --calls`);
  const report = await soak(minutes, calls);
  const about = { date: new Date().toISOString(), surroundings: surroundings() };
  const path = join(import.meta.dirname, '../results/soak.json');
  writeFileSync(path, `${JSON.stringify({ ...about, ...report }, null, 2)}\n`);
  process.exitCode = print(report).length === 0 ? 0 : 1;
}

// Children end with a process that exits, not with one that a signal ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await main();
