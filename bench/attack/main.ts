/**
 * `npm run attack [-- --only 1,2] [--rounds 2] [--server uws|node] [--together 10]`: repeats every attack that has ever worked on the
 * gateway, in two rounds, during a live call. With `--together <minutes>`, all at the same time. The exit code is 1 if a
 * demand is not met.
 */
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { planCores } from '../cores.ts';
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
import { describeTogether, runTogether } from './together.ts';

/** Phone, agent and prober run before attackers. Otherwise their own lateness would be taken for the gateway's. */
const OWN_PRIORITY = -10;

interface Options {
  readonly attacks: readonly Attack[];
  readonly rounds: number;
  readonly server: 'uws' | 'node';
  /** All attacks at the same time, for so many minutes; null: one after the other. */
  readonly together: number | null;
}

function options(): Options {
  const { values } = parseArgs({
    options: {
      only: { type: 'string' },
      rounds: { type: 'string', default: '2' },
      server: { type: 'string', default: 'uws' },
      together: { type: 'string' },
    },
  });
  const { only, rounds, server, together } = values;
  if (server !== 'uws' && server !== 'node') throw new Error('--server takes uws or node');
  const attacks = only === undefined ? ATTACKS : only.split(',').map((number) => attackOf(Number(number)));
  return {
    attacks,
    rounds: Number(rounds),
    server,
    together: together === undefined ? null : Number(together),
  };
}

async function attack({ attacks, rounds, server }: Options, stage: Stage): Promise<AttackReport> {
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
}

/** Attacks, and returns what was not held. */
async function judged(chosen: Options, stage: Stage): Promise<string[]> {
  if (chosen.together !== null) {
    const report = await runTogether(stage, chosen.attacks, chosen.together);
    console.log(describeTogether(report));
    save('attack-together', report);
    return [...report.faults];
  }
  const report = await attack(chosen, stage);
  save('attack', report);
  const failed = report.attacks.filter(({ faults }) => faults.length > 0);
  return [
    ...report.faults,
    ...failed.map(({ round, number, name }) => `round ${round}, attack ${number}, ${name}`),
  ];
}

function save(name: string, report: object): void {
  const about = { date: new Date().toISOString(), surroundings: surroundings() };
  const path = join(import.meta.dirname, `../results/${name}.json`);
  writeFileSync(path, `${JSON.stringify({ ...about, ...report }, null, 2)}\n`);
}

async function main(): Promise<void> {
  try {
    setPriority(OWN_PRIORITY);
  } catch {
    console.log('no permission to raise the priority: phone, agent and prober compete with the attackers');
  }
  const chosen = options();
  const { plan, description } = planCores();
  console.log(description);
  const stage = await Stage.start(chosen.server, plan.gateway);
  if (stage.unknownSettings.length > 0)
    console.log(`this version of the gateway has no ${stage.unknownSettings.join(', ')}`);
  const faults = await judged(chosen, stage).finally(() => stage.stop());
  for (const fault of faults) console.log(`NOT HELD: ${fault}`);
  if (faults.length === 0) console.log('held');
  else process.exitCode = 1;
}

// Child processes end when this process exits, but not when a signal ends it.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
await main();
process.exit();
