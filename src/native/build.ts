/**
 * Compiles the addons where possible; the gateway also runs without them. `npm start` and similar scripts run it. Does
 * nothing while the binaries are newer than every source. Never fails.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

interface Addon {
  readonly name: string;
  readonly sources: readonly string[];
  /** Printed when the addon cannot be built. */
  readonly consequence: string;
}

const ADDONS: readonly Addon[] = [
  {
    name: 'media-io',
    sources: ['media-io.c', 'udp-sockets.c', 'on-time.c', 'heap.c', 'object-heap.c'],
    consequence: "Media I/O uses Node's dgram, which takes more CPU per call",
  },
  {
    name: 'opus',
    sources: ['opus.c'],
    consequence: 'Opus runs in WebAssembly, which takes more CPU per call',
  },
  {
    name: 'waker',
    sources: ['waker.c'],
    consequence: 'Threads wake each other through V8, which takes a lock',
  },
  {
    name: 'acceptor',
    sources: ['acceptor.c', 'connections.c'],
    consequence: 'All call WebSockets run on the main thread',
  },
  {
    name: 'silero',
    sources: ['silero.c'],
    consequence: 'Voices are detected without the neural network: music, coughs and crowds count as voices',
  },
];
const BINARIES = join(import.meta.dirname, '../../build');
const DEADLINE_MS = 60_000;

function headers(): string {
  const shipped = join(process.execPath, '../../include/node');
  if (existsSync(join(shipped, 'node_api.h'))) return shipped;
  return join(dirname(createRequire(import.meta.url).resolve('node-api-headers')), 'include');
}

/** Whether the binary is newer than all sources. */
function isFresh({ name }: Addon): boolean {
  const builtMs = statSync(join(BINARIES, `${name}.node`), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const sources = globSync('*.{c,h,weights}', { cwd: import.meta.dirname });
  return sources.every((source) => statSync(join(import.meta.dirname, source)).mtimeMs < builtMs);
}

/** Compiles to a temporary name first, so that a concurrent build or a starting gateway never sees a partial file. */
function build({ name, sources }: Addon): void {
  const paths = sources.map((source) => join(import.meta.dirname, source));
  const unfinished = join(BINARIES, `${name}.node.${process.pid}`);
  mkdirSync(BINARIES, { recursive: true });
  const warnings = ['-Wall', '-Wextra'];
  const folders = [`-I${headers()}`, `-Wa,-I${import.meta.dirname}`];
  const flags = ['-std=gnu11', '-O3', ...warnings, '-shared', '-fPIC', ...folders];
  try {
    execFileSync(process.env.CC ?? 'cc', [...flags, ...paths, '-o', unfinished, '-ldl', '-lm'], {
      timeout: DEADLINE_MS,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(unfinished, join(BINARIES, `${name}.node`));
  } finally {
    rmSync(unfinished, { force: true });
  }
}

if (process.platform === 'linux') {
  for (const addon of ADDONS.filter((addon) => !isFresh(addon))) {
    try {
      build(addon);
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      const reason = code === 'ENOENT' ? 'no C compiler' : message;
      process.stderr.write(`${addon.consequence}: ${reason}.\n`);
    }
  }
}
