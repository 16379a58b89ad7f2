import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BundledGateway } from '../../support/bundled-gateway.ts';
import type { GatewayOptions } from '../../support/gateway.ts';

/** Gateways whose connectors violate the rule that they are told to. */
export class Breakage {
  readonly #bundled: BundledGateway;
  readonly #folder = mkdtempSync(join(tmpdir(), 'violations-'));
  readonly #file = join(this.#folder, 'violation');

  private constructor(bundled: BundledGateway) {
    this.#bundled = bundled;
    this.mend();
  }

  static async prepare(): Promise<Breakage> {
    return new Breakage(await BundledGateway.prepare('test/conformance/violations/broken-gateway.ts'));
  }

  get gateway(): GatewayOptions {
    const { entry, env } = this.#bundled.options;
    return { entry: entry!, env: { ...env, VIOLATION_FILE: this.#file } };
  }

  violate(does: string): void {
    writeFileSync(this.#file, does);
  }

  mend(): void {
    this.violate('');
  }

  close(): void {
    this.#bundled.remove();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
