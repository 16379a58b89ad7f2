import { parseArgs } from 'node:util';

const ROUNDS = 5;
const QUICK_ROUNDS = 2;

export interface Order {
  readonly names: readonly string[];
  readonly rounds: number;
  readonly quick: boolean;
  readonly help: boolean;
}

/**
 * Reads `[NAME…] [--quick] [--rounds N] [--help]`. `speech` stands for all benches whose names begin with `speech-`.
 * Throws an error with a readable message.
 */
export function readOrder(args: readonly string[], known: readonly string[]): Order {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const meant = (wanted: string) => known.filter((name) => name === wanted || name.startsWith(`${wanted}-`));
  const names = positionals.flatMap(meant);
  const unknown = positionals.filter((wanted) => meant(wanted).length === 0);
  if (unknown.length > 0)
    throw new Error(`unknown bench: ${unknown.join(', ')}. Known are: ${known.join(', ')}`);
  const rounds = values.rounds === undefined ? (values.quick ? QUICK_ROUNDS : ROUNDS) : Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1) throw new Error('--rounds must be a whole number, at least 1');
  return { names: names.length > 0 ? names : known, rounds, quick: values.quick, help: values.help };
}

export function usage(benches: readonly { readonly name: string; readonly title: string }[]): string {
  return [
    'npm run bench -- [NAME…] [--quick] [--rounds N]',
    '',
    ...benches.map(({ name, title }) => `  ${name.padEnd(13)} ${title}`),
    '',
    `Each figure is the median of N rounds (${ROUNDS}), taken in turns with its anchor's. --quick is shorter and coarser.`,
  ].join('\n');
}
