import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { promisify } from 'node:util';
import type { CorePlan } from '../bench/bench.ts';
import type { Program } from './native-bench.ts';

const DEADLINE_MS = 120_000;
/** For the program beside to open what it needs. */
const HEAD_START_MS = 100;

type Figure = [name: string, value: number];

/** Figure → its value in each round. */
export type Figures = ReadonlyMap<string, readonly number[]>;

/** Runs the programs in turns, A B A B, so that a slow moment of the machine falls on all of them. */
export async function contest(
  programs: readonly Program[],
  rounds: number,
  cores: CorePlan,
  progress: (text: string) => void,
): Promise<Figures[]> {
  const results = programs.map(() => new Map<string, number[]>());
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`);
    for (const [i, program] of programs.entries()) {
      for (const figure of await runOnce(program, cores)) append(results[i]!, figure);
    }
  }
  return results;
}

function append(figures: Map<string, number[]>, [name, value]: Figure): void {
  const values = figures.get(name) ?? [];
  values.push(value);
  figures.set(name, values);
}

async function runOnce({ command, beside, unpinned }: Program, cores: CorePlan): Promise<Figure[]> {
  const pinned = [...(unpinned ? everyCore(cores) : cores.gateway), ...command];
  if (!beside) return await figuresOf(pinned);
  const companion = await start([...cores.generators, ...beside]);
  try {
    return await figuresOf(pinned);
  } finally {
    companion.kill();
    if (companion.exitCode === null && companion.signalCode === null) await once(companion, 'exit');
  }
}

/** Returns the prefix for all cores. Without it, child processes inherit this process's pinning. */
function everyCore({ gateway, generators }: CorePlan): string[] {
  if (gateway.length === 0) return [];
  return [...gateway.slice(0, -1), [...gateway.slice(-1), ...generators.slice(-1)].join(',')];
}

async function start([file = '', ...args]: readonly string[]) {
  const child = spawn(file, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  await once(child, 'spawn');
  await new Promise((resolve) => setTimeout(resolve, HEAD_START_MS));
  return child;
}

async function figuresOf([file = '', ...args]: readonly string[]): Promise<Figure[]> {
  const { stdout } = await promisify(execFile)(file, args, { timeout: DEADLINE_MS });
  return Object.entries(JSON.parse(stdout)).filter((entry): entry is Figure => typeof entry[1] === 'number');
}
