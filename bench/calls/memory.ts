import { residentBytes } from '../process-usage.ts';
import type { CallSystem } from './call-system.ts';
import { pause } from './density.ts';

/** SIP forgets the transactions that set a call up after 32 s (RFC 3261, 64 × T1). */
const SETTLE_MS = 35_000;

/** Grows to a quarter of this many calls and then to all; returns what resident memory grew by, in bytes a call. */
export async function growMeasuringMemory(system: CallSystem, calls: number): Promise<number> {
  const few = await settledAt(system, Math.round(calls / 4));
  const all = await settledAt(system, calls);
  return (all.bytes - few.bytes) / (all.calls - few.calls);
}

async function settledAt(system: CallSystem, calls: number): Promise<{ calls: number; bytes: number }> {
  await system.grow(calls);
  await pause(SETTLE_MS);
  return { calls: system.calls, bytes: residentBytes(system.pid) };
}
