import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GatewayOptions } from '../../support/gateway.ts';

const ROOT = join(import.meta.dirname, '../../..');
const { bundle } = createRequire(import.meta.url)('../../../config/bundle.cjs') as {
  bundle(dir: string, main: string): Promise<void>;
};

/** Gateways whose connectors violate the rule that they are told to. */
export class Breakage {
  readonly #folder: string;
  readonly #file: string;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#file = join(folder, 'violation');
    this.mend();
  }

  /** Bundles the entry point of such a gateway: from the sources, each start would take seconds. */
  static async prepare(): Promise<Breakage> {
    const folder = join(ROOT, `node_modules/.cache/broken-gateways/${process.pid}`);
    mkdirSync(folder, { recursive: true });
    await bundle(join(folder, 'bundle'), 'test/conformance/violations/broken-gateway.ts');
    return new Breakage(folder);
  }

  get gateway(): GatewayOptions {
    return {
      entry: pathToFileURL(join(this.#folder, 'bundle/broken-gateway.cjs')),
      env: {
        VIOLATION_FILE: this.#file,
        BRIDGE_WORKER_URL: new URL('../../loopback/bridge.worker.ts', import.meta.url).href,
        NODE_COMPILE_CACHE: join(this.#folder, 'compiled'),
      },
    };
  }

  violate(does: string): void {
    writeFileSync(this.#file, does);
  }

  mend(): void {
    this.violate('');
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
