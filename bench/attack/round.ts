import { setTimeout as pause } from 'node:timers/promises';
import { residentBytes } from '../process-usage.ts';
import type { Attack } from './attack.ts';
import { runAttack } from './attack-process.ts';
import { measure, quantiles } from './measure.ts';
import { MOST_BYTES } from './memory-guard.ts';
import { type AttackResult, describeAttack, megabytes, type RoundResult } from './report.ts';
import type { Stage } from './stage.ts';

/** Duration of the measurement without attacks. */
const CALM_MS = 10_000;
/** The gateway returns freed memory once a minute. SIP transactions and TCP state are also gone by then. */
const SETTLE_MS = 65_000;
const COLLECT_MS = 3_000;
const COLLECTIONS = 3;

/** All attacks, one after the other. */
export class Round {
  readonly results: AttackResult[] = [];
  readonly #stage: Stage;
  readonly #number: number;
  readonly #latenciesMs: number[] = [];

  constructor(stage: Stage, number: number) {
    this.#stage = stage;
    this.#number = number;
  }

  /** Runs the attacks. `settles`: waits before memory is measured, which only makes sense with two rounds. */
  async run(attacks: readonly Attack[], settles: boolean): Promise<RoundResult> {
    const calm = (await measure(this.#stage, () => pause(CALM_MS))).measured;
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
    const { measured, done, latenciesMs } = await measure(stage, () =>
      runAttack(attack, stage.target(this.#number), stage.mailbox),
    );
    for (const latencyMs of latenciesMs) this.#latenciesMs.push(latencyMs);
    const faults = [...done.faults, ...this.#ends(measured.hasEnded)];
    if (!stage.gateway.running || measured.hasEnded) await stage.mend();
    return { round: this.#number, number: attack.number, name: attack.name, ...done, ...measured, faults };
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
