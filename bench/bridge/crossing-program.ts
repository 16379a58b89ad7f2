/**
 * Child process: calls over bridge threads, all parties talking. Argument: JSON, see CrossingOrder. Prints the times of
 * the last 10 s as JSON, see CrossingResult.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { wallMs } from '../../src/base/wall-ms.ts';
import { nowUs } from '../clock.ts';
import type { Passage } from '../stalls/stalls.ts';
import { BridgedCall, type BridgedKind } from './bridged-call.ts';
import { EngineUnderTest } from './engine-under-test.ts';

export interface CrossingOrder {
  readonly kind: BridgedKind;
  readonly calls: number;
  readonly seconds: number;
}

/** All calls together. */
export interface CrossingResult {
  readonly inward: readonly Passage[];
  readonly outward: readonly Passage[];
  /** Frames for the bridge threads for which there was no room, since the start. */
  readonly dropped: number;
  readonly cores: number;
}

const { kind, calls: count, seconds }: CrossingOrder = JSON.parse(process.argv[2] ?? '{}');
const under = await EngineUnderTest.start();
const calls = await Promise.all(Array.from({ length: count }, () => BridgedCall.open(under, kind)));
const before = process.cpuUsage();
await sleep(seconds * 1_000);
const { user, system } = process.cpuUsage(before);
const monotonicUs = nowUs() - wallMs() * 1_000;
const result: CrossingResult = {
  inward: calls.flatMap(({ crossings }) => crossings.inward(monotonicUs)),
  outward: calls.flatMap(({ crossings }) => crossings.outward(monotonicUs)),
  dropped: calls.reduce((sum, { crossings }) => sum + crossings.dropped, 0),
  cores: (user + system) / (seconds * 1_000_000),
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit());
