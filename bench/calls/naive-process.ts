import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import type { TickReport } from './call-system.ts';

const SCRIPT = join(import.meta.dirname, '../naive-gateway/main.ts');
const REQUEST_DEADLINE_MS = 5_000;
const START_DEADLINE_MS = 10_000;

/** The process of the naive gateway. */
export class NaiveProcess {
  readonly url: string;
  readonly #child: Child;
  readonly #claim: PortClaim;

  private constructor(child: Child, claim: PortClaim) {
    this.url = `http://127.0.0.1:${claim.first}`;
    this.#child = child;
    this.#claim = claim;
  }

  /** `args`: see the script, which is `bench/naive-gateway/main.ts` unless another one is given. */
  static async start(
    cores: CorePlan,
    args: readonly string[] = [],
    { script = SCRIPT, env = {} }: { readonly script?: string; readonly env?: NodeJS.ProcessEnv } = {},
  ): Promise<NaiveProcess> {
    const claim = await claimSignalingPorts(1);
    const program = [...cores.gateway, process.execPath, script, `${claim.first}`, ...args];
    const [command = '', ...rest] = program;
    const naive = new NaiveProcess(new Child(command, rest, { env: { ...process.env, ...env } }), claim);
    const answers = (): Promise<boolean> =>
      naive.request('/ticks').then(
        () => true,
        () => false,
      );
    await waitFor('the naive gateway', answers, START_DEADLINE_MS);
    return naive;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** Places a call to the telephone on this port; returns its number and our port. */
  async place(port: number): Promise<{ readonly call: number; readonly port: number }> {
    return (await this.request('/call', { port })) as { call: number; port: number };
  }

  async watchTicks(): Promise<() => Promise<TickReport>> {
    await this.request('/ticks');
    return async () => {
      const latenessMs = ((await this.request('/ticks')) as number[]).toSorted((a, b) => a - b);
      return { latenessP999Ms: latenessMs[Math.floor(latenessMs.length * 0.999)] ?? Number.NaN, skipped: 0 };
    };
  }

  async request(path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.url + path, {
      signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json();
  }

  async stop(): Promise<void> {
    await this.#child.stop();
    this.#claim.release();
  }
}
