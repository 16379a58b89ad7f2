import { mkdirSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { GatewayOptions } from './gateway.ts';

const ROOT = join(import.meta.dirname, '../..');
const BRIDGE = 'test/loopback/bridge.worker.ts';
const { bundle } = createRequire(import.meta.url)('../../config/bundle.cjs') as {
  bundle(dir: string, entries: { readonly main: string; readonly bridge: string }): Promise<void>;
};

/**
 * The bundle of a gateway's entry point under `test/`, with the loopback platform's bridge thread. From the sources,
 * each start would take seconds.
 */
export class BundledGateway {
  readonly options: GatewayOptions;
  readonly #folder: string;

  private constructor(folder: string, main: string) {
    this.#folder = folder;
    const name = basename(main, '.ts');
    this.options = {
      entry: pathToFileURL(join(folder, 'bundle', `${name}.cjs`)),
      env: { NODE_COMPILE_CACHE: join(folder, 'compiled') },
    };
  }

  /** `main`: relative to the repository. */
  static async prepare(main: string): Promise<BundledGateway> {
    const folder = join(ROOT, 'node_modules/.cache/test-gateways', `${process.pid}-${Date.now()}`);
    mkdirSync(folder, { recursive: true });
    await bundle(join(folder, 'bundle'), { main, bridge: BRIDGE });
    return new BundledGateway(folder, main);
  }

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
