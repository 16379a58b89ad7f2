import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

const DEADLINE_MS = 60_000;

/** Milliseconds of CPU that the calling thread has used; of the wall where there is no C compiler. */
export function threadCpuClock(): { readonly kind: 'cpu' | 'wall'; readonly nowMs: () => number } {
  const folder = mkdtempSync(join(tmpdir(), 'thread-cpu-'));
  try {
    const require = createRequire(import.meta.url);
    const library = join(folder, 'thread-cpu.node');
    const headers = join(dirname(require.resolve('node-api-headers')), 'include');
    const source = join(import.meta.dirname, 'thread-cpu.c');
    execFileSync('cc', ['-O2', '-shared', '-fPIC', `-I${headers}`, source, '-o', library], {
      timeout: DEADLINE_MS,
      stdio: 'ignore',
    });
    const { nanoseconds } = require(library) as { nanoseconds(): number };
    return { kind: 'cpu', nowMs: () => nanoseconds() / 1e6 };
  } catch {
    const now = performance.now.bind(performance);
    return { kind: 'wall', nowMs: () => now() };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
