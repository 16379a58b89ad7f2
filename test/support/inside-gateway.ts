import { existsSync, statSync } from 'node:fs';
import { createRequire, enableCompileCache } from 'node:module';
import { basename, join } from 'node:path';
import type { Gateway } from '../../src/gateway.ts';
import type { startInside } from './inside-entry.ts';

const ROOT = join(import.meta.dirname, '../..');
const ENTRY = 'test/support/inside-entry.ts';
const CLOSE_MS = 5_000;
const KEPT_OUTPUT_CHARS = 200_000;

const require = createRequire(import.meta.url);

/** A gateway in the test's process, from the same bundle as `npm start`; what `Child` is for a process. */
export class InsideGateway {
  readonly pid = process.pid;
  readonly #gateway: Promise<Gateway | null>;
  #output = '';
  #running = true;

  constructor(env: NodeJS.ProcessEnv) {
    const log = { write: (line: string) => this.#print(line) };
    this.#gateway = loadInside()
      .then(({ startInside }) => startInside(env, log))
      .catch((error: Error) => {
        this.#running = false;
        this.#print(`The gateway cannot start:\n${error.message}\n`);
        return null;
      });
  }

  get running(): boolean {
    return this.#running;
  }

  /** The last of its log. */
  get output(): string {
    return this.#output;
  }

  killHard(): Promise<void> {
    throw new Error(
      'only a gateway in a process of its own can be killed: see OWN_PROCESS in config/test-projects.ts',
    );
  }

  /** Closes it; resolves with the exit code that its process would have. */
  async stop(): Promise<number | null> {
    const gateway = await this.#gateway;
    await gateway?.close(CLOSE_MS);
    this.#running = false;
    return gateway === null ? 1 : 0;
  }

  #print(text: string): void {
    this.#output = (this.#output + text).slice(-KEPT_OUTPUT_CHARS);
  }
}

let bundled: Promise<string> | undefined;

/**
 * Makes the bundle unless there is one of the same sources. Returns its folder. Gateways that start together share it: who
 * is ready first stops esbuild, and another bundle would never be.
 */
export function bundleInside(): Promise<string> {
  bundled ??= makeBundle();
  return bundled;
}

async function makeBundle(): Promise<string> {
  const { bundleDir } = require('../../src/bundle-dir.cjs') as { bundleDir(): string };
  const entryMs = statSync(join(ROOT, ENTRY)).mtimeMs;
  const dir = join(ROOT, 'node_modules/.cache/inside', `${basename(bundleDir())}-${entryMs}`);
  if (existsSync(dir)) return dir;
  const { bundle } = require('../../config/bundle.cjs') as {
    bundle(dir: string, entries: { readonly main: string }): Promise<void>;
  };
  await bundle(dir, { main: ENTRY });
  return dir;
}

async function loadInside(): Promise<{ readonly startInside: typeof startInside }> {
  const dir = await bundleInside();
  enableCompileCache(join(dir, 'compiled'));
  return require(join(dir, 'inside-entry.cjs'));
}
