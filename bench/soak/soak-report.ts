import type { Holdings } from './holdings.ts';
import { type MemoryPoint, memoryFault } from './judgement.ts';
import type { LoadSample } from './load-sample.ts';

/** What became of a soak. */
export interface SoakReport {
  readonly minutes: number;
  readonly calls: number;
  readonly callsEnded: Readonly<Record<string, number>>;
  readonly failedCalls: number;
  readonly failures: readonly string[];
  /** Null: the run was too short. */
  readonly memoryMbPerHour: number | null;
  readonly memory: readonly MemoryPoint[];
  readonly samples: readonly LoadSample[];
  readonly gatewayCores: number;
  readonly before: Holdings;
  readonly after: Holdings;
}

/** Whether all has been given back. */
export function isBack(before: Holdings, after: Holdings): boolean {
  return after.descriptors <= before.descriptors && after.udpSockets <= before.udpSockets;
}

/** Prints it; returns why it was not held. */
export function print(report: SoakReport): string[] {
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
