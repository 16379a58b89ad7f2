/**
 * Compiles media-io.c where that is possible; the gateway does without it where it is not. Run by `npm start` and the
 * like when the binary is missing or older than its source. Never fails.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const SOURCE = join(import.meta.dirname, 'media-io.c');
const BINARY = join(import.meta.dirname, '../../build/media-io.node');
const DEADLINE_MS = 60_000;

function headers(): string {
  const shipped = join(process.execPath, '../../include/node');
  if (existsSync(join(shipped, 'node_api.h'))) return shipped;
  return join(dirname(createRequire(import.meta.url).resolve('node-api-headers')), 'include');
}

/** Under a name of its own first: a second build at the same time, or a start, never meets half a file. */
function build(): void {
  const unfinished = `${BINARY}.${process.pid}`;
  mkdirSync(dirname(BINARY), { recursive: true });
  const flags = ['-std=gnu11', '-O3', '-Wall', '-Wextra', '-shared', '-fPIC', `-I${headers()}`];
  try {
    execFileSync(process.env.CC ?? 'cc', [...flags, SOURCE, '-o', unfinished], {
      timeout: DEADLINE_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(unfinished, BINARY);
  } finally {
    rmSync(unfinished, { force: true });
  }
}

if (process.platform === 'linux') {
  try {
    build();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const reason = code === 'ENOENT' ? 'no C compiler' : message;
    process.stderr.write(`Media I/O stays portable, which takes more CPU a call: ${reason}.\n`);
  }
}
