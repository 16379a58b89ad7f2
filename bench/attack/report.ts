import type { CallLoss } from './live-call.ts';
import type { Finding } from './notes.ts';

/** A period of slow requests. */
export interface SlowPeriod {
  /** Since the attack began. */
  readonly atS: number;
  readonly maxMs: number;
}

/** Measurements of the gateway, its call and its other clients over some time. */
export interface Measured extends CallLoss {
  readonly seconds: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly requests: number;
  readonly failedRequests: number;
  readonly slowPeriods: readonly SlowPeriod[];
  /** Cores used by the gateway, and by the whole machine. */
  readonly gatewayCores: number;
  readonly machineCores: number;
  /** Cores used by the gateway's main thread, and parts of its time for which it waited for one. */
  readonly mainCores: number;
  readonly mainWaits: number;
  readonly peakBytes: number;
  readonly residentBytes: number;
}

/** The result of one attack. */
export interface AttackResult extends Finding, Measured {
  readonly round: number;
  readonly number: number;
  readonly name: string;
}

/** The result of a whole round. */
export interface RoundResult {
  readonly round: number;
  /** Before the first attack. */
  readonly calm: Measured;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly failedRequests: number;
  readonly lostToAgentMs: number;
  readonly lostToPhoneMs: number;
  /** After it settled, and after every thread had collected its garbage. */
  readonly settledBytes: number;
  readonly collectedBytes: number;
}

export interface AttackReport {
  readonly server: string;
  readonly unknownSettings: readonly string[];
  readonly attacks: readonly AttackResult[];
  readonly rounds: readonly RoundResult[];
  /** Faults of whole rounds, besides those of single attacks. */
  readonly faults: readonly string[];
}

const MAX_P99_MS = 20;
/** During one attack. */
const MAX_ATTACK_P99_MS = 50;
const MAX_GROWTH_BYTES = 20e6;

/** Returns the faults of whole rounds. */
export function roundFaults(rounds: readonly RoundResult[]): string[] {
  const faults = rounds.flatMap(({ round, p99Ms, failedRequests, lostToAgentMs, lostToPhoneMs }) => [
    ...(p99Ms < MAX_P99_MS ? [] : [`round ${round}: REST p99 ${p99Ms.toFixed(1)} ms`]),
    ...(failedRequests === 0 ? [] : [`round ${round}: ${failedRequests} REST requests failed`]),
    ...(lostToAgentMs + lostToPhoneMs === 0
      ? []
      : [`round ${round}: the call lost ${lostToAgentMs} ms to the agent, ${lostToPhoneMs} ms to the phone`]),
  ]);
  const [first, second] = rounds;
  if (first === undefined || second === undefined) return [...faults, 'memory growth needs two rounds'];
  const grown = second.collectedBytes - first.collectedBytes;
  return grown < MAX_GROWTH_BYTES
    ? faults
    : [...faults, `memory grew by ${megabytes(grown)} between the rounds`];
}

/** Returns the faults of one attack, as other accounts see it. The rounds are judged more strictly as a whole. */
export function measuredFaults({ p99Ms, lostToAgentMs, lostToPhoneMs }: Measured): string[] {
  const lostMs = lostToAgentMs + lostToPhoneMs;
  return [
    ...(p99Ms < MAX_ATTACK_P99_MS ? [] : [`REST p99 ${ms(p99Ms)}`]),
    ...(lostMs === 0 ? [] : [`the call lost ${lostMs} ms`]),
  ];
}

export function describeAttack(result: AttackResult): string {
  const { number, name, faults, p99Ms, maxMs, lostToAgentMs, lostToPhoneMs, peakBytes } = result;
  const lines = [
    `${`${number}`.padStart(2)} ${name.padEnd(44)} ${verdict(result).padEnd(9)} p99 ${ms(p99Ms)}, max ${ms(maxMs)}; ` +
      `lost ${lostToAgentMs}/${lostToPhoneMs} ms; peak ${megabytes(peakBytes)}, then ${megabytes(result.residentBytes)}; ` +
      `${result.seconds.toFixed(0)} s`,
    ...faults.map((fault) => `     ${fault}`),
  ];
  return lines.join('\n');
}

export function describeRound(result: RoundResult): string {
  const { round, calm, p50Ms, p99Ms, maxMs, lostToAgentMs, lostToPhoneMs } = result;
  return (
    `round ${round}: without attacks: p99 ${ms(calm.p99Ms)}, max ${ms(calm.maxMs)}, lost ${calm.lostToAgentMs}/${calm.lostToPhoneMs} ms; ` +
    `under attack: REST p50 ${ms(p50Ms)}, p99 ${ms(p99Ms)}, max ${ms(maxMs)}, ${result.failedRequests} failed; ` +
    `lost to the agent ${lostToAgentMs} ms, to the phone ${lostToPhoneMs} ms; ` +
    `memory ${megabytes(result.settledBytes)}, collected ${megabytes(result.collectedBytes)}`
  );
}

/** Whether all demands of an attack were met. */
export function verdict({ faults }: Pick<AttackResult, 'faults'>): string {
  return faults.length === 0 ? 'held' : 'NOT HELD';
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`;
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(0)} MB`;
}
