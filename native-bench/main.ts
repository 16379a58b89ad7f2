/** `npm run native-bench [NAME…] [-- --rounds N]`: what the machine can do, beside what we do; see README.md. */
import { parseArgs } from 'node:util';
import type { CorePlan } from '../bench/bench.ts';
import { planCores } from '../bench/cores.ts';
import { benches } from './benches.ts';
import { contest } from './contest.ts';
import type { Contestant, MissingProgram, NativeBench, Program } from './native-bench.ts';
import { renderTable } from './table.ts';

const ROUNDS = '5';

async function main(): Promise<void> {
  const { positionals, values } = parseArgs({
    allowPositionals: true,
    options: { rounds: { type: 'string', default: ROUNDS } },
  });
  const { plan, description } = planCores();
  say(`${description.replace('gateway', 'programs')}; ${values.rounds} rounds`);
  for (const bench of chosen(positionals)) await run(bench, Number(values.rounds), plan);
}

function chosen(names: readonly string[]): readonly NativeBench[] {
  const unknown = names.filter((name) => !benches.some((bench) => bench.name === name));
  if (unknown.length > 0) {
    const known = benches.map(({ name }) => name).join(', ');
    throw new Error(`unknown bench: ${unknown.join(', ')}. Known are: ${known}`);
  }
  return names.length === 0 ? benches : benches.filter(({ name }) => names.includes(name));
}

async function run(bench: NativeBench, rounds: number, cores: CorePlan): Promise<void> {
  const contestants = bench.programs();
  const programs = contestants.filter((one): one is Program => !isMissing(one));
  const missing = contestants.filter(isMissing);
  const progress = (text: string) => say(`${bench.name}: ${text}`);
  const results = await contest(programs, rounds, cores, progress);
  const entries = programs.map(({ name }, i) => ({ program: name, figures: results[i]! }));
  console.log(`**${bench.name}**: ${bench.title}\n\n${renderTable(entries)}\n`);
  for (const { name, missing: how } of missing) console.log(`${name}: not measured. ${how}\n`);
}

function isMissing(contestant: Contestant): contestant is MissingProgram {
  return 'missing' in contestant;
}

function say(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}

main().catch((error: Error) => {
  console.error(error.message);
  process.exitCode = 1;
});
