import { setTimeout } from 'node:timers/promises';
import { type Arrival, arrivals } from '../../test/support/audio-quality/network.ts';
import { type QualityScore, qualityScore } from '../../test/support/audio-quality/quality-score.ts';
import { sentPackets, undisturbed } from '../../test/support/audio-quality/sent-packets.ts';
import { pathOf, receive, TAIL_MS, type VirtualRun } from '../../test/support/audio-quality/virtual-run.ts';
import { NetEqCall } from './neteq-call.ts';

/** What both made of the same packets. */
export interface Comparison {
  readonly run: VirtualRun;
  readonly ours: QualityScore;
  readonly netEq: QualityScore;
}

/** Calls that ran at the same time, and how late their packets were sent. */
export interface Batch {
  readonly comparisons: readonly Comparison[];
  readonly latenessMs: readonly number[];
}

/** One packet of one of the calls. */
interface Sending extends Arrival {
  readonly call: number;
}

/** Playing begins after the connections have settled. */
const LEAD_MS = 500;

/**
 * Plays several calls at a time to NetEq in real time. When each packet really left is recorded; then the gateway's
 * reception gets the same packets at the same times, but by a clock that does not wait, so that a machine that is late
 * is late for both.
 */
export async function compare(runs: readonly VirtualRun[]): Promise<Batch> {
  const payloads = runs.map(({ sound, codec, seconds }) => sentPackets(sound, codec, seconds));
  const calls = await Promise.all(runs.map(({ codec, condition }) => NetEqCall.open(codec, condition)));
  const startMs = performance.now() + LEAD_MS;
  const sent: Arrival[][] = runs.map(() => []);
  const latenessMs: number[] = [];
  for (const { call, index, atMs } of timetable(runs)) {
    const waitMs = startMs + atMs - performance.now();
    if (waitMs > 0) await setTimeout(waitMs);
    calls[call]!.send(index, payloads[call]![index]!);
    const leftMs = performance.now() - startMs;
    sent[call]!.push({ index, atMs: leftMs });
    latenessMs.push(leftMs - atMs);
  }
  await setTimeout(startMs + longestMs(runs) - performance.now());
  const heard = calls.map((call, i) => call.heard(startMs, runs[i]!.seconds * 1000 + TAIL_MS));
  await Promise.all(calls.map((call) => call.close()));
  return { latenessMs, comparisons: runs.map((run, i) => judge(run, sent[i]!, heard[i]!)) };
}

function timetable(runs: readonly VirtualRun[]): Sending[] {
  return runs
    .flatMap(({ condition, seconds, seed }, call) =>
      arrivals(condition, seconds * 1000, seed).map((arrival) => ({ ...arrival, call })),
    )
    .sort((a, b) => a.atMs - b.atMs);
}

function longestMs(runs: readonly VirtualRun[]): number {
  return Math.max(...runs.map(({ seconds }) => seconds)) * 1000 + TAIL_MS;
}

function judge(run: VirtualRun, sent: readonly Arrival[], heard: Int16Array): Comparison {
  const hearing = receive(run, sent);
  const { sound, codec, condition, seconds } = run;
  return {
    run,
    ours: qualityScore(hearing),
    netEq: qualityScore({
      said: undisturbed(sound, codec, seconds),
      heard,
      rateHz: hearing.rateHz,
      ...pathOf(condition, seconds),
    }),
  };
}
