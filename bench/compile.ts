import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';

const CACHE = join(import.meta.dirname, '../node_modules/.cache/bench');
const FLAGS = ['-O2', '-ffast-math', '-Wall'];
const DEADLINE_MS = 60_000;

/** Compiles all C files of a folder into one program, unless it is up to date. Returns its path. */
export function compileFolder(folder: string, name: string): string {
  const files = readdirSync(folder).filter((file) => /\.[ch]$/.test(file));
  const hash = createHash('sha256').update(FLAGS.join());
  for (const file of files.toSorted()) hash.update(readFileSync(join(folder, file)));
  const program = join(CACHE, `${name}-${hash.digest('hex').slice(0, 16)}`);
  if (existsSync(program)) return program;
  mkdirSync(CACHE, { recursive: true });
  const sources = files.filter((file) => file.endsWith('.c')).map((file) => join(folder, file));
  const unfinished = `${program}.${process.pid}`;
  runCompiler([...FLAGS, '-o', unfinished, ...sources, '-lm', '-lpthread', '-ldl']);
  renameSync(unfinished, program);
  return program;
}

function runCompiler(args: readonly string[]): void {
  try {
    execFileSync('cc', args, { stdio: ['ignore', 'ignore', 'pipe'], encoding: 'utf8', timeout: DEADLINE_MS });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT')
      throw new Error('no C compiler: apt-get install gcc libc6-dev');
    throw new Error(`cc failed: ${(error as { stderr?: string }).stderr ?? error}`);
  }
}
