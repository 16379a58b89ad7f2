import { setTimeout as pause } from 'node:timers/promises';
import { cpuSeconds, machineCpuSeconds, residentBytes, watchCores } from '../process-usage.ts';
import { quantile } from '../quantiles.ts';
import type { Attack } from './attack.ts';
import { runAttack } from './attack-process.ts';
import { MOST_BYTES } from './memory-guard.ts';
import {
  type AttackResult,
  describeAttack,
  type Measured,
  measuredFaults,
  megabytes,
  type RoundResult,
  type SlowPeriod,
} from './report.ts';
import type { ProbeReport, Stage } from './stage.ts';

/** Duration of the measurement without attacks. */
const CALM_MS = 10_000;
/** By then, effects of an attack on queues and timers are visible. */
const AFTERMATH_MS = 1_000;
/** The gateway returns freed memory once a minute. SIP transactions and TCP state are also gone by then. */
const SETTLE_MS = 65_000;
const COLLECT_MS = 3_000;
const COLLECTIONS = 3;
/** Slow answers closer together than this count as one period. */
const PERIOD_GAP_MS = 500;

/** All attacks, one after the other. */
export class Round {
  readonly results: AttackResult[] = [];
  readonly #stage: Stage;
  readonly #number: number;
  #latenciesMs: number[] = [];

  constructor(stage: Stage, number: number) {
    this.#stage = stage;
    this.#number = number;
  }

  /** Runs the attacks. `settles`: waits before memory is measured, which only makes sense with two rounds. */
  async run(attacks: readonly Attack[], settles: boolean): Promise<RoundResult> {
    const calm = (await this.#measure(() => pause(CALM_MS))).measured;
    this.#latenciesMs = [];
    for (const attack of attacks) {
      const result = await this.#attack(attack);
      this.results.push(result);
      console.log(describeAttack(result));
    }
    const sum = (key: 'failedRequests' | 'lostToAgentMs' | 'lostToPhoneMs') =>
      this.results.reduce((total, result) => total + result[key], 0);
    return {
      ...{ round: this.#number, calm, ...quantiles(this.#latenciesMs) },
      failedRequests: sum('failedRequests'),
      lostToAgentMs: sum('lostToAgentMs'),
      lostToPhoneMs: sum('lostToPhoneMs'),
      settledBytes: await this.#settledBytes(settles ? SETTLE_MS : 0),
      collectedBytes: await this.#collectedBytes(),
    };
  }

  async #attack(attack: Attack): Promise<AttackResult> {
    const stage = this.#stage;
    const { measured, done } = await this.#measure(() =>
      runAttack(attack, stage.target(this.#number), stage.mailbox),
    );
    const faults = [...done.faults, ...measuredFaults(measured), ...this.#ends(measured.hasEnded)];
    if (!stage.gateway.running || measured.hasEnded) await stage.mend();
    return { round: this.#number, number: attack.number, name: attack.name, ...done, ...measured, faults };
  }

  /** Measures the gateway, its call and its other clients during `work`. */
  async #measure<Done>(work: () => Promise<Done>): Promise<{ done: Done; measured: Measured }> {
    const { prober, call, guard, gateway } = this.#stage;
    await Promise.all([prober.ask(), call.takeLoss()]);
    guard.takePeakBytes();
    const cores = [watchCores(() => cpuSecondsOf(gateway.pid)), watchCores(machineCpuSeconds)];
    const [beganMs, beganAtMs] = [performance.now(), Date.now()];
    const done = await work();
    const seconds = (performance.now() - beganMs) / 1_000;
    const [gatewayCores = 0, machineCores = 0] = cores.map((used) => used());
    await pause(AFTERMATH_MS);
    const { latenciesMs, slow, failures } = await prober.ask();
    const loss = await call.takeLoss();
    for (const latencyMs of latenciesMs) this.#latenciesMs.push(latencyMs);
    const measured = {
      ...{ seconds, gatewayCores, machineCores, ...quantiles(latenciesMs), ...loss },
      ...{
        requests: latenciesMs.length,
        failedRequests: failures,
        slowPeriods: slowPeriodsOf(slow, beganAtMs),
      },
      peakBytes: guard.takePeakBytes(),
      residentBytes: gateway.running ? residentBytes(gateway.pid) : 0,
    };
    return { done, measured };
  }

  /** Returns a fault if the attack ended the gateway or the call. */
  #ends(hasCallEnded: boolean): string[] {
    const { gateway, guard } = this.#stage;
    if (gateway.running) return hasCallEnded ? ['the live call ended'] : [];
    if (guard.hasStopped) return [`the gateway was stopped when it took ${megabytes(MOST_BYTES)}`];
    return [`the gateway ended: ${gateway.output.slice(-300)}`];
  }

  async #settledBytes(settleMs: number): Promise<number> {
    await pause(settleMs);
    return residentBytes(this.#stage.gateway.pid);
  }

  /** Returns the memory left after garbage collection in all threads; V8 by itself may wait for minutes. */
  async #collectedBytes(): Promise<number> {
    const { pid } = this.#stage.gateway;
    for (let n = 0; n < COLLECTIONS; n++) {
      process.kill(pid, 'SIGUSR2');
      await pause(COLLECT_MS);
    }
    return residentBytes(pid);
  }
}

/** Returns 0 if the process has ended. */
function cpuSecondsOf(pid: number): number {
  try {
    return cpuSeconds(pid);
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

function quantiles(latenciesMs: readonly number[]) {
  const [p50Ms = Number.NaN, p99Ms = Number.NaN, maxMs = Number.NaN] = [0.5, 0.99, 1].map((share) =>
    quantile(latenciesMs, share),
  );
  return { p50Ms, p99Ms, maxMs };
}
