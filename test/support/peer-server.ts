import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Child } from './child.ts';
import type { PortClaim } from './free-ports.ts';
import { waitFor } from './wait-for.ts';

const START_DEADLINE_MS = 10_000;

/** A server of another project with ports and a folder of its own, both of which it gives back when it stops. */
export abstract class PeerServer {
  protected readonly folder = mkdtempSync(join(tmpdir(), 'peer-'));
  /** What it is called in errors. */
  protected abstract readonly program: string;
  readonly #claim: PortClaim;
  #child: Child | null = null;

  protected constructor(claim: PortClaim) {
    this.#claim = claim;
  }

  /** The first of its ports. */
  get port(): number {
    return this.#claim.first;
  }

  get pid(): number {
    return this.#child?.pid ?? -1;
  }

  /** The last of what it logged. */
  get output(): string {
    return this.#child?.output ?? '';
  }

  /** Kills it and starts it again at the same place. Its clients are not told, and its state is gone. */
  async restart(): Promise<void> {
    await this.#child?.killHard();
    await this.#launch();
  }

  async stop(): Promise<void> {
    await this.#child?.stop();
    this.#claim.release();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Resolves once it answers. Rejects with what it logged when it ends, or does not answer within 10 seconds. */
  protected async begin(): Promise<this> {
    try {
      await this.#launch();
    } catch (error) {
      await this.stop();
      throw error;
    }
    return this;
  }

  /** The command and its arguments. */
  protected abstract command(): readonly string[];
  protected abstract answers(): boolean | Promise<boolean>;

  async #launch(): Promise<void> {
    const [command = '', ...args] = this.command();
    const child = new Child(command, args);
    this.#child = child;
    const isReady = () => {
      if (!child.running) throw new Error(`${this.program} has ended`);
      return this.answers();
    };
    await waitFor(`${this.program} to answer`, isReady, START_DEADLINE_MS).catch((error: Error) => {
      throw new Error(`${error.message}\n${child.output}`);
    });
  }
}
