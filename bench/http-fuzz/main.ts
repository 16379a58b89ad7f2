/**
 * `npm run http-fuzz [-- --requests 100000] [--seed 1] [--server uws,node]`: sends every known class of malformed
 * requests over raw TCP, whole and split at every byte, and then this number of mutants, each whole, in two pieces and in
 * three. The exit code is 1 if a server crashes or sends more answers than there were requests, or if splitting changes
 * the answers; of uWebSockets.js the known differences do not count (test/support/uws-differences.ts).
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { VARIABLES } from '../../src/settings/variables.ts';
import { Gateway } from '../../test/support/gateway.ts';
import { HttpFuzz } from '../../test/support/http-fuzz.ts';
import { surroundings } from '../report/surroundings.ts';
import { print, type ServerReport } from './outcome-table.ts';

const SETTING = 'SVC_HTTP_SERVER';
async function fuzz(server: string, requests: number, seed: number): Promise<ServerReport> {
  const gateway = await Gateway.start({
    env: {
      SVC_LOG_LEVEL: 'warn',
      SVC_SIGNUP: 'open',
      ...(SETTING in VARIABLES ? { [SETTING]: server } : {}),
    },
  });
  try {
    const run = new HttpFuzz(gateway.httpPort);
    await run.catalogue();
    await run.cutCatalogue(1);
    await run.mutants(requests, seed);
    const isAlive = gateway.running && (await gateway.api(null).get('/healthz')).status === 200;
    return { server, isAlive, ...run.report };
  } finally {
    await gateway.stop();
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '100000' },
      seed: { type: 'string', default: '1' },
      server: { type: 'string', default: SETTING in VARIABLES ? 'node,uws' : 'uws' },
    },
  });
  const reports: ServerReport[] = [];
  for (const server of values.server.split(',')) {
    const beganMs = performance.now();
    const report = await fuzz(server, Number(values.requests), Number(values.seed));
    const seconds = ((performance.now() - beganMs) / 1_000).toFixed(0);
    console.log(
      `${server}: ${report.sent} times sent in ${seconds} s, ${report.isAlive ? 'alive' : 'DEAD'}, ` +
        `${report.faults.length} answered too often, ${report.cutFaults.length} answered otherwise when cut`,
    );
    reports.push(report);
  }
  const isHeld = print(reports);
  const kept = reports.map((report) => ({ ...report, outcomes: Object.fromEntries(report.outcomes) }));
  const about = { date: new Date().toISOString(), surroundings: surroundings(), ...values };
  const path = join(import.meta.dirname, '../results/http-fuzz.json');
  writeFileSync(path, `${JSON.stringify({ ...about, reports: kept }, null, 2)}\n`);
  process.exitCode = isHeld ? 0 : 1;
}

// Children end with a process that exits, not with one that a signal ends.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await main();
process.exit();
