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
import { type Holdings, holdingsOf } from './holdings.ts';
import { judgedSlope, type MemoryPoint, memoryFault, SCRIPTS, type Script } from './judgement.ts';
import { SoakLine } from './soak-line.ts';
import { describeSpell, type Spell, Spells } from './spell.ts';

/** Of a core, by the CPU time of the gateway. */
const LOAD = 0.7;
/** Calls by which it is found out how many make that load. */
const FIRST_CALLS = 200;
const MEASURE_MS = 30_000;
/** Telephones are opened for so many. */
const MOST_CALLS = 1_000;
/** How long calls last: uniform between these. */
interface Holds {
  readonly minMs: number;
  readonly maxMs: number;
}
const HOLDS: Holds = { minMs: 10_000, maxMs: 70_000 };
/**
 * Before the soak calls of about a second follow each other: it takes 8,000 calls or so until V8 has compiled all that
 * sets up and ends them and its heaps keep their size, for which the soak itself would take 20 minutes.
 */
const WARM_UP_HOLDS: Holds = { minMs: 500, maxMs: 1_500 };
const WARM_UP_CALLS = 50;
const WARM_UP_MS = 180_000;
/** Memory counts from here on, in parts of the whole. */
const WARM_UP_SHARE = 0.25;
const SAMPLE_MS = 10_000;
/**
 * V8 lets garbage grow for minutes before it collects, and malloc keeps what was freed for up to one: memory is what is
 * left when both were told.
 */
const COLLECT_MS = 10_000;
/** By then they have done it, on a core that others want, too. */
const COLLECTED_MS = 1_000;
const FIRST_CALL_MS = 1_000;
const DRAIN_DEADLINE_MS = 60_000;
const MAX_FAILURES_SHOWN = 20;

interface SoakReport {
  readonly minutes: number;
  readonly calls: number;
  readonly callsEnded: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  readonly failures: readonly string[];
  /** Null: the run was too short. */
  readonly memoryMbPerHour: number | null;
  readonly memory: readonly MemoryPoint[];
  readonly spells: readonly Spell[];
  readonly gatewayCores: number;
  readonly before: Holdings;
  readonly after: Holdings;
}

/** Always so many calls, each followed by another one, and what became of them. */
class Churn {
  readonly ended: Record<string, number> = Object.fromEntries(SCRIPTS.map((script) => [script, 0]));
  readonly failures: string[] = [];
  readonly #line: SoakLine;
  readonly #holds: Holds;
  readonly #nextScript: () => Script;
  #live = 0;

  constructor(line: SoakLine, holds: Holds, nextScript: () => Script) {
    this.#line = line;
    this.#holds = holds;
    this.#nextScript = nextScript;
  }

  get live(): number {
    return this.#live;
  }

  get done(): number {
    return Object.values(this.ended).reduce((sum, count) => sum + count, 0);
  }

  /** Lets calls follow each other until `untilMs`; resolves when the last have ended. */
  async run(calls: number, untilMs: number): Promise<void> {
    await Promise.all(Array.from({ length: calls }, () => this.#follow(untilMs)));
  }

  async #follow(untilMs: number): Promise<void> {
    await pause(Math.random() * this.#holds.maxMs);
    while (performance.now() < untilMs) await this.#lead(this.#nextScript());
  }

  async #lead(script: Script): Promise<void> {
    const { minMs, maxMs } = this.#holds;
    const holdMs = minMs + Math.random() * (maxMs - minMs);
    this.#live++;
    const faults = await this.#line.live(script, holdMs).finally(() => this.#live--);
    this.ended[script] = (this.ended[script] ?? 0) + 1;
    if (faults.length > 0) this.failures.push(`${script}: ${faults.join(', ')}`);
  }
}

/** One in 20 is refused and one in 20 vanishes; the others are shared out. */
function randomScript(): Script {
  const dice = Math.random();
  if (dice < 0.05) return 'refused';
  if (dice < 0.1) return 'vanished';
  if (dice < 0.4) return 'hung up by the API';
  if (dice < 0.6) return 'hung up by the telephone';
  return dice < 0.8 ? 'inbound, hung up by the API' : 'inbound, hung up by the telephone';
}

/** As above, without the calls that end only when the gateway gives them up. */
function scriptThatEnds(): Script {
  for (;;) {
    const script = randomScript();
    if (script !== 'vanished') return script;
  }
}

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
  // The first call opens what the process then keeps.
  const early = await line.live('hung up by the API', FIRST_CALL_MS);
  if (early.length > 0) throw new Error(`the first call failed: ${early.join(', ')}`);
  const before = holdingsOf(pid);
  const warmUp = await warm(line, Math.min(wanted ?? WARM_UP_CALLS, WARM_UP_CALLS));
  const churn = new Churn(line, HOLDS, randomScript);
  const beganMs = performance.now();
  const coresUsed = watchCores(() => cpuSeconds(pid));
  const memory: MemoryPoint[] = [];
  const watched = await Spells.begin(line.gateway, line.generator);
  const spells: Spell[] = [];
  const timers = [
    setInterval(async () => {
      const spell = await watched.next();
      spells.push(spell);
      tell(spell, churn, residentBytes(pid));
    }, SAMPLE_MS),
    setInterval(async () => {
      process.kill(pid, 'SIGUSR2');
      await pause(COLLECTED_MS);
      memory.push({ hours: (performance.now() - beganMs) / 3_600_000, bytes: residentBytes(pid) });
    }, COLLECT_MS),
  ];
  const untilMs = beganMs + minutes * 60_000;
  const ended = wanted === null ? load(churn, pid, untilMs) : churn.run(wanted, untilMs).then(() => wanted);
  await pause(minutes * 60_000);
  for (const timer of timers) clearInterval(timer);
  const gatewayCores = coresUsed();
  const calls = await ended;
  await waitFor('everything to be given back', async () => isBack(before, holdingsOf(pid)), DRAIN_DEADLINE_MS)
    // The report says what is missing.
    .catch(() => {});
  const counted = memory.filter(({ hours }) => hours * 60 >= minutes * WARM_UP_SHARE);
  return {
    ...{ minutes, calls, callsEnded: churn.ended },
    failedCalls: warmUp.length + churn.failures.length,
    failures: [...warmUp, ...churn.failures].slice(0, MAX_FAILURES_SHOWN),
    memoryMbPerHour: judgedSlope(counted),
    ...{ memory, spells, gatewayCores, before, after: holdingsOf(pid) },
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

/** Returns what failed. */
async function warm(line: SoakLine, calls: number): Promise<readonly string[]> {
  console.log(`warming up for ${WARM_UP_MS / 1_000} s`);
  const churn = new Churn(line, WARM_UP_HOLDS, scriptThatEnds);
  await churn.run(calls, performance.now() + WARM_UP_MS);
  console.log(`warmed up by ${churn.done} calls of a second, ${churn.failures.length} failed`);
  return churn.failures;
}

function isBack(before: Holdings, after: Holdings): boolean {
  return after.descriptors <= before.descriptors && after.udpSockets <= before.udpSockets;
}

function tell(spell: Spell, { live, done, failures }: Churn, bytes: number): void {
  const seconds = Math.round(spell.endedAtMinutes * 60);
  const clock = `${Math.floor(seconds / 60)}:${`${seconds % 60}`.padStart(2, '0')}`;
  console.log(
    `${clock}  ${live} live, ${done} ended, ${failures.length} failed, ${(bytes / 1e6).toFixed(1)} MB; ${describeSpell(spell)}` +
      `${failures.length > 0 ? `; last: ${failures.at(-1)}` : ''}`,
  );
}

function print(report: SoakReport): string[] {
  const faults: string[] = [];
  if (report.failedCalls > 0) faults.push(`${report.failedCalls} calls failed`);
  const unsteady = memoryFault(report.memoryMbPerHour);
  if (unsteady !== null) faults.push(unsteady);
  if (!isBack(report.before, report.after)) faults.push('not everything was given back');
  for (const [script, count] of Object.entries(report.callsEnded))
    console.log(`${script.padEnd(36)} ${count}`);
  for (const failure of report.failures) console.log(`  ${failure}`);
  console.log(`failed calls                         ${report.failedCalls}`);
  console.log(`memory after warm-up                 ${describeSlope(report.memoryMbPerHour)}`);
  console.log(
    `gateway                              ${report.calls} calls, ${report.gatewayCores.toFixed(2)} cores`,
  );
  for (const [what, key] of [
    ['descriptors', 'descriptors'],
    ['UDP sockets', 'udpSockets'],
  ] as const)
    console.log(`${what.padEnd(36)} ${report.before[key]} before, ${report.after[key]} after`);
  console.log(faults.length === 0 ? 'held' : `NOT HELD: ${faults.join(', ')}`);
  return faults;
}

function describeSlope(slope: number | null): string {
  return slope === null ? 'not judged: the run was too short' : `${slope.toFixed(2)} MB/h`;
}

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { minutes: { type: 'string' }, calls: { type: 'string' } } });
  const minutes = Number(values.minutes ?? 30);
  const calls = values.calls === undefined ? null : Number(values.calls);
  if (!(minutes > 0) || (calls !== null && !(Number.isInteger(calls) && calls >= 1)))
    throw new Error('--minutes takes a number above 0, --calls a whole number from 1 on');
  const report = await soak(minutes, calls);
  const about = { date: new Date().toISOString(), surroundings: surroundings() };
  const path = join(import.meta.dirname, '../results/soak.json');
  writeFileSync(path, `${JSON.stringify({ ...about, ...report }, null, 2)}\n`);
  process.exitCode = print(report).length === 0 ? 0 : 1;
}

// Children end with a process that exits, not with one that a signal ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await main();
