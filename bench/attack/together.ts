import { setTimeout as pause } from 'node:timers/promises';
import type { Attack } from './attack.ts';
import { runAttack } from './attack-process.ts';
import { measure } from './measure.ts';
import type { Measured } from './report.ts';
import type { Stage } from './stage.ts';

/** Without attacks, for comparison: as long as with them, at most. */
const MOST_ALONE_MS = 60_000;
/** Rounds of the attacks have numbers of their own, from which they make addresses and names. */
const FIRST_ROUND = 100;
const MAX_RATIO = 1.2;

/** What a quiet account saw: alone, and beside everything that others can do at once. */
export interface TogetherReport {
  readonly attacks: readonly string[];
  /** How often each attack was carried out. */
  readonly times: readonly number[];
  readonly alone: Measured;
  readonly beside: Measured;
  readonly faults: readonly string[];
}

/** Carries out all attacks at the same time, again and again, and measures what an account that does little sees of it. */
export async function runTogether(
  stage: Stage,
  attacks: readonly Attack[],
  minutes: number,
): Promise<TogetherReport> {
  const lastsMs = minutes * 60_000;
  const { measured: alone } = await measure(stage, () => pause(Math.min(lastsMs, MOST_ALONE_MS)));
  const end = performance.now() + lastsMs;
  const { measured: beside, done: times } = await measure(
    stage,
    async () => await Promise.all(attacks.map((attack) => repeat(stage, attack, end))),
  );
  return { attacks: attacks.map(({ name }) => name), times, alone, beside, faults: faultsOf(alone, beside) };
}

/** Returns how often it was carried out. What it demands is not judged: it is not alone. */
async function repeat(stage: Stage, attack: Attack, end: number): Promise<number> {
  let times = 0;
  for (; performance.now() < end && stage.gateway.running; times++)
    await runAttack(attack, stage.target(FIRST_ROUND + times), stage.mailbox);
  return times;
}

function faultsOf(alone: Measured, beside: Measured): string[] {
  const lostMs = beside.lostToAgentMs + beside.lostToPhoneMs;
  const ratios = [
    ['p50', beside.p50Ms / alone.p50Ms],
    ['p99', beside.p99Ms / alone.p99Ms],
  ] as const;
  return [
    ...ratios
      .filter(([, ratio]) => ratio > MAX_RATIO)
      .map(([name, ratio]) => `REST ${name} is ${ratio.toFixed(2)} times what it is alone`),
    ...(lostMs === 0 ? [] : [`the call lost ${lostMs} ms`]),
    ...(beside.failedRequests === 0 ? [] : [`${beside.failedRequests} REST requests failed`]),
    ...(beside.hasEnded ? ['the call or the gateway ended'] : []),
  ];
}

export function describeTogether({ attacks, times, alone, beside }: TogetherReport): string {
  const figures = (seen: Measured): string =>
    `REST p50 ${seen.p50Ms.toFixed(2)} ms, p99 ${seen.p99Ms.toFixed(2)} ms, max ${seen.maxMs.toFixed(1)} ms; ` +
    `lost ${seen.lostToAgentMs}/${seen.lostToPhoneMs} ms; gateway ${seen.gatewayCores.toFixed(2)} cores, of which its main ` +
    `thread ${seen.mainCores.toFixed(2)}, which waited for a core for ${seen.mainWaits.toFixed(2)} of the time`;
  return [
    ...attacks.map((name, index) => `${times[index]} × ${name}`),
    `alone:  ${figures(alone)}`,
    `beside: ${figures(beside)} (${beside.seconds.toFixed(0)} s)`,
  ].join('\n');
}
