/**
 * `npm run attack [-- --only 1,2] [--rounds 2] [--server uws|node]`: repeats every attack that has ever worked on the
 * gateway, in two rounds, during a live call. The exit code is 1 if a demand is not met.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { surroundings } from '../report/surroundings.ts';
import type { Attack } from './attack.ts';
import { ATTACKS, attackOf } from './attacks.ts';
import {
  type AttackReport,
  type AttackResult,
  describeRound,
  type RoundResult,
  roundFaults,
} from './report.ts';
import { Round } from './round.ts';
import { Stage } from './stage.ts';

/** Phone, agent and prober run before attackers. Otherwise their own lateness would be taken for the gateway's. */
const OWN_PRIORITY = -10;

interface Options {
  readonly attacks: readonly Attack[];
  readonly rounds: number;
  readonly server: 'uws' | 'node';
}

function options(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '2' },
      server: { type: 'string', default: 'uws' },
    },
  });
  const { only, rounds, server } = values;
  if (server !== 'uws' && server !== 'node') throw new Error('--server takes uws or node');
  const attacks = only === undefined ? ATTACKS : only.split(',').map((number) => attackOf(Number(number)));
  return { attacks, rounds: Number(rounds), server };
}

async function attack({ attacks, rounds, server }: Options): Promise<AttackReport> {
  const stage = await Stage.start(server);
  if (stage.unknownSettings.length > 0)
    console.log(`this version of the gateway has no ${stage.unknownSettings.join(', ')}`);
  try {
    const results: AttackResult[] = [];
    const totals: RoundResult[] = [];
    for (let number = 1; number <= rounds; number++) {
      const round = new Round(stage, number);
      const total = await round.run(attacks, rounds > 1);
      results.push(...round.results);
      totals.push(total);
      console.log(describeRound(total));
    }
    const { unknownSettings } = stage;
    return { server, unknownSettings, attacks: results, rounds: totals, faults: roundFaults(totals) };
  } finally {
    await stage.stop();
  }
}

async function main(): Promise<void> {
  try {
    setPriority(OWN_PRIORITY);
  } catch {
    console.log('no permission to raise the priority: phone, agent and prober compete with the attackers');
  }
  const report = await attack(options());
  const about = { date: new Date().toISOString(), surroundings: surroundings() };
  const path = join(import.meta.dirname, '../results/attack.json');
  writeFileSync(path, `${JSON.stringify({ ...about, ...report }, null, 2)}\n`);
  const failed = report.attacks.filter(({ faults }) => faults.length > 0);
  for (const fault of report.faults) console.log(`NOT HELD: ${fault}`);
  for (const { round, number, name } of failed)
    console.log(`NOT HELD: round ${round}, attack ${number}, ${name}`);
  if (failed.length + report.faults.length === 0) console.log('held');
  else process.exitCode = 1;
}

// Child processes end when this process exits, but not when a signal ends it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await main();
process.exit();
