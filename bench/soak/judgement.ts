import type { Heard, LeftCall } from '../generator/generator-report.ts';
import { quantile } from '../quantiles.ts';

/** How a call in the soak is meant to begin and to end. */
export const SCRIPTS = [
  'hung up by the API',
  'hung up by the telephone',
  'refused',
  'vanished',
  'inbound, hung up by the API',
  'inbound, hung up by the telephone',
] as const;
export type Script = (typeof SCRIPTS)[number];

/** Frames that may be missing: when the machine stalls, an agent loses audio older than 200 ms. */
const SLACK_FRAMES = 50;
const SLACK_SHARE = 0.02;
/** Audio must have come until so shortly before the end. */
const MAX_SILENT_MS = 1_000;
const MAX_SLOPE_MB_PER_HOUR = 1;
/** Over less, a few calls more than a minute ago are a slope of many MB an hour. */
const MIN_JUDGED_HOURS = 5 / 60;

/** Returns what went wrong in a call, judged by what its two ends heard. */
export function faultsOf(call: LeftCall): string[] {
  const faults = [
    ...hearingFaults('the telephone', call.telephone),
    ...hearingFaults('the agent', call.agent),
  ];
  if (faults.length === 0) return [];
  return [...faults, ...hints(call)];
}

/** Describes a failed call by the figures of both ends. */
function hints({ lost, agentErrors, agentLostMs, agentBlocked }: LeftCall): string[] {
  const known: [number, string][] = [
    [lost, `${lost} packets lost on the way to the telephone`],
    [agentErrors, `${agentErrors} call errors`],
    [agentLostMs, `the gateway dropped ${agentLostMs} ms on the way to the agent`],
    [agentBlocked, `${agentBlocked} frames of the agent blocked`],
  ];
  return known.filter(([count]) => count > 0).map(([, text]) => text);
}

function hearingFaults(who: string, { received, due, silentMs }: Heard): string[] {
  if (received === 0) return [`${who} heard nothing`];
  const faults: string[] = [];
  if (silentMs > MAX_SILENT_MS) faults.push(`${who} heard nothing for the last ${silentMs} ms`);
  const off = Math.abs(received - due);
  if (off > SLACK_FRAMES + due * SLACK_SHARE) faults.push(`${who} got ${received} of ${due} frames`);
  return faults;
}

/** A point of a series: hours since the beginning, and bytes. */
export interface MemoryPoint {
  readonly hours: number;
  readonly bytes: number;
}

/**
 * Median of the slopes between any two points (Theil-Sen), in MB (10^6 bytes) an hour, which a burst that passes does
 * not move; NaN of fewer than two points.
 */
export function slopeMbPerHour(points: readonly MemoryPoint[]): number {
  const slopes = points.flatMap((from, n) =>
    points.slice(n + 1).map((to) => (to.bytes - from.bytes) / (to.hours - from.hours) / 1e6),
  );
  return slopes.length === 0 ? Number.NaN : quantile(slopes, 0.5);
}

/** The slope of a series long enough to judge memory by, in MB an hour; null of a shorter one. */
export function judgedSlope(points: readonly MemoryPoint[]): number | null {
  const hours = (points.at(-1)?.hours ?? 0) - (points[0]?.hours ?? 0);
  return hours < MIN_JUDGED_HOURS ? null : slopeMbPerHour(points);
}

/** Why memory is not shown to be steady, by its judged slope; null: it is. */
export function memoryFault(slope: number | null): string | null {
  if (slope === null) return 'too short a run to judge memory by';
  return slope < MAX_SLOPE_MB_PER_HOUR ? null : 'memory grows';
}
