/**
 * Compiles the addons where that is possible; the gateway does without them where it is not. Run by `npm start` and
 * the like when a binary is missing or older than its source. Never fails.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Each addon, and what is true without it. */
const ADDONS = {
  'media-io': 'Media I/O stays portable, which takes more CPU a call',
  opus: 'Opus stays portable, which takes more CPU a call',
};
const BINARIES = join(import.meta.dirname, '../../build');
const DEADLINE_MS = 60_000;

function headers(): string {
  const shipped = join(process.execPath, '../../include/node');
  if (existsSync(join(shipped, 'node_api.h'))) return shipped;
  return join(dirname(createRequire(import.meta.url).resolve('node-api-headers')), 'include');
}

/** Under a name of its own first: a second build at the same time, or a start, never meets half a file. */
function build(name: string): void {
  const source = join(import.meta.dirname, `${name}.c`);
  const unfinished = join(BINARIES, `${name}.node.${process.pid}`);
  mkdirSync(BINARIES, { recursive: true });
  const flags = ['-std=gnu11', '-O3', '-Wall', '-Wextra', '-shared', '-fPIC', `-I${headers()}`];
  try {
    execFileSync(process.env.CC ?? 'cc', [...flags, source, '-o', unfinished, '-ldl'], {
      timeout: DEADLINE_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(unfinished, join(BINARIES, `${name}.node`));
  } finally {
    rmSync(unfinished, { force: true });
  }
}

if (process.platform === 'linux') {
  for (const [name, otherwise] of Object.entries(ADDONS)) {
    try {
      build(name);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'no C compiler' : message;
      process.stderr.write(`${otherwise}: ${reason}.\n`);
    }
  }
}
