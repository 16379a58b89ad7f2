import { execFileSync } from 'node:child_process';
import { cpus, release, totalmem, type } from 'node:os';

/** The machine and versions of a result. */
export interface Surroundings {
  readonly processor: string;
  readonly cores: number;
  readonly memoryGib: number;
  readonly system: string;
  readonly node: string;
  /** With `+` when files differ from it; null outside a git clone. */
  readonly commit: string | null;
}

export function surroundings(): Surroundings {
  return {
    processor: cpus()[0]?.model ?? 'unknown',
    cores: cpus().length,
    memoryGib: Math.round(totalmem() / 2 ** 30),
    system: `${type()} ${release()}`,
    node: process.version,
    commit: commit(),
  };
}

function commit(): string | null {
  try {
    const changed = git('status', '--porcelain', '-uno') !== '';
    return git('rev-parse', '--short', 'HEAD') + (changed ? '+' : '');
  } catch {
    return null;
  }
}

function git(...args: string[]): string {
  const output = execFileSync('git', args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  return output.trim();
}
