/** `npm run bench`: measures, prints one table, and leaves bench/results/latest.json and a picture of it. */
import { join } from 'node:path';
import type { Bench, BenchContext } from './bench.ts';
import { benches } from './benches.ts';
import { type Order, readOrder, usage } from './command-line.ts';
import { planCores } from './cores.ts';
import { drawResults } from './report/picture.ts';
import { type BenchResult, readResults, writeResults } from './report/results.ts';
import { surroundings } from './report/surroundings.ts';
import { renderTable } from './report/table.ts';

/** sysexits.h: EX_USAGE. */
const EXIT_USAGE = 64;
const FOLDER = join(import.meta.dirname, 'results');
const JSON_PATH = join(FOLDER, 'latest.json');
const PICTURE_PATH = join(FOLDER, 'latest.png');

async function main(): Promise<void> {
  const names = benches.map(({ name }) => name);
  const order = orderOf(names);
  if (order.help) return console.log(usage(benches));
  const { plan: cores, description } = planCores();
  say(`${description}; ${order.rounds} rounds${order.quick ? ', quick' : ''}`);
  for (const bench of benches.filter(({ name }) => order.names.includes(name))) {
    const result = await resultOf(bench, order, { cores, description });
    writeResults(JSON_PATH, { ...readResults(JSON_PATH), [bench.name]: result });
  }
  const results = readResults(JSON_PATH);
  console.log(`\n${renderTable(results, order.names)}\n`);
  drawResults(PICTURE_PATH, results, names);
  console.log(`every round: ${JSON_PATH}\npicture:     ${PICTURE_PATH}`);
  process.exitCode = order.names.some((name) => results[name]?.failure !== undefined) ? 1 : 0;
}

function orderOf(names: readonly string[]): Order {
  try {
    return readOrder(process.argv.slice(2), names);
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${usage(benches)}`);
    process.exit(EXIT_USAGE);
  }
}

/** A bench that throws is a line in the table, not the end of the run. */
async function resultOf(
  bench: Bench,
  { rounds, quick }: Order,
  { cores, description }: { cores: BenchContext['cores']; description: string },
): Promise<BenchResult> {
  const began = { title: bench.title, date: new Date().toISOString(), rounds, quick, cores: description };
  say(`${bench.name}: ${bench.title}`);
  const progress = (text: string) => say(`${bench.name}: ${text}`);
  try {
    const measures = await bench.run({ rounds, quick, cores, progress });
    return { ...began, surroundings: surroundings(), measures };
  } catch (error) {
    const failure = error instanceof Error ? (error.stack ?? error.message) : `${error}`;
    say(`${bench.name} failed: ${failure}`);
    const why = error instanceof Error ? error.message : failure;
    return { ...began, surroundings: surroundings(), measures: [], failure: why };
  }
}

function say(text: string): void {
  console.error(`${new Date().toISOString().slice(11, 19)} ${text}`);
}

// Children are killed on `exit`, which a signal alone does not raise.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130));
main().then(
  () => process.exit(),
  (error: Error) => {
    console.error(error.message);
    process.exit(1);
  },
);
