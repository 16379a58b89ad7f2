import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Contestant, Program } from './native-bench.ts';

const BUILD = join(import.meta.dirname, 'build');
const FLAGS = ['-std=gnu11', '-O3', '-march=native', '-Wall', '-Wextra'];
const DEADLINE_MS = 60_000;
const NO_COMPILER = 'no C compiler here; Debian: apt-get install -y --no-install-recommends gcc libc6-dev';

/** Compiles a C file and returns the binary. Throws a readable message without a compiler. */
export function compile(source: string, libraries: readonly string[] = []): string {
  mkdirSync(BUILD, { recursive: true });
  const binary = join(BUILD, basename(source, '.c'));
  const links = [...libraries, 'm', 'pthread'].map((library) => `-l${library}`);
  try {
    execFileSync(process.env.CC ?? 'cc', [...FLAGS, source, '-o', binary, ...links], {
      timeout: DEADLINE_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code === 'ENOENT' ? new Error(NO_COMPILER) : error;
  }
  return binary;
}

/** A C program that needs a library: named as missing, with how to get it, where it does not compile. */
export function withLibrary(
  name: string,
  library: { readonly link: string; readonly debianPackage: string },
  source: string,
  args: readonly string[] = [],
): Contestant {
  try {
    return { name, command: [compile(source, [library.link]), ...args] } satisfies Program;
  } catch (error) {
    if (error instanceof Error && error.message === NO_COMPILER) throw error;
    const missing = `Debian: apt-get install -y --no-install-recommends ${library.debianPackage}`;
    return { name, missing };
  }
}
