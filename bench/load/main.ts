/**
 * Many G.711 calls through one gateway process, an agent on each streaming both ways at 16 kHz.
 * `npm run load -- [calls=300] [seconds=60]`; ends with 1 when a frame was lost or a break was heard.
 */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, type Observation, observe } from '../calls/observation.ts';
import { OurGateway } from '../calls/our-gateway.ts';
import { planCores } from '../cores.ts';
import type { Lateness, PartyCounts } from '../generator/generator-report.ts';
import { residentBytes } from '../process-usage.ts';

const SETTLE_MS = 4_000;

async function main(): Promise<void> {
  const [calls = 300, seconds = 60] = process.argv.slice(2).map(Number);
  const { plan, description } = planCores();
  console.log(description);
  const system = await OurGateway.start(plan);
  try {
    const idleBytes = residentBytes(system.pid);
    await system.grow(calls);
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const seen = await observe(system, seconds);
    print(seen, (residentBytes(system.pid) - idleBytes) / calls);
    writeFileSync(join(import.meta.dirname, '../results/load.json'), `${JSON.stringify(seen, null, 2)}\n`);
    process.exitCode = seen.faults.length === 0 && breaksOf(seen) === 0 ? 0 : 1;
  } finally {
    await system.stop();
  }
}

function breaksOf({ report: { phones, agents } }: Observation): number {
  return phones.breaks + agents.breaks;
}

function print(seen: Observation, bytesPerCall: number): void {
  const { phones, agents } = seen.report;
  console.log(describe(seen));
  console.log(`phone → agent  ${received(agents)}`);
  console.log(`agent → phone  ${received(phones)}, ${phones.lost} lost`);
  console.log(`generator      phones ${late(phones.sending)}; agents ${late(agents.sending)}`);
  console.log(
    `memory         ${(bytesPerCall / 1024).toFixed(0)} KiB a call, the first ones' share included`,
  );
}

function received({ received, breaks, silent, arrival }: PartyCounts): string {
  return `${received} frames, ${breaks} breaks (${silent} silent), ${late(arrival)}`;
}

function late({ p50Ms, p99Ms, p999Ms, maxMs }: Lateness): string {
  return `late p50 ${p50Ms} p99 ${p99Ms} p99.9 ${p999Ms} max ${maxMs.toFixed(1)} ms`;
}

await main();
process.exit();
