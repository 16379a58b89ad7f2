import { join } from 'node:path';
import { Child } from '../../test/support/child.ts';
import { claimSignalingPorts, type PortClaim } from '../../test/support/free-ports.ts';
import { waitFor } from '../../test/support/wait-for.ts';
import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { CallSystem, TickReport } from './call-system.ts';

const SCRIPT = join(import.meta.dirname, '../naive-gateway/main.ts');
const REQUEST_DEADLINE_MS = 5_000;

/** The naive gateway of `bench/naive-gateway`: a phone and an agent on every call. */
export class NaiveGateway implements CallSystem {
  readonly name = 'naive gateway';
  readonly ends = { phones: 1, agents: 1 } as const;
  readonly generator: Generator;
  readonly #child: Child;
  readonly #claim: PortClaim;
  #calls = 0;

  private constructor(child: Child, generator: Generator, claim: PortClaim) {
    this.#child = child;
    this.generator = generator;
    this.#claim = claim;
  }

  static async start(cores: CorePlan): Promise<NaiveGateway> {
    const claim = await claimSignalingPorts(1);
    const [command = '', ...args] = [...cores.gateway, process.execPath, SCRIPT, `${claim.first}`];
    const system = new NaiveGateway(new Child(command, args), Generator.start(cores.generators), claim);
    await waitFor(
      'the naive gateway',
      () =>
        system.#request('/ticks').then(
          () => true,
          () => false,
        ),
      10_000,
    );
    return system;
  }

  get pid(): number {
    return this.#child.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    const ports = await this.generator.openPhones(calls - this.#calls);
    for (const port of ports) {
      const placed = (await this.#request('/call', { port })) as { call: number; port: number };
      this.generator.call(this.#calls++, '127.0.0.1', placed.port);
    }
    const streams = ports.map((_, i) => `${this.#url}/call/${calls - ports.length + i}/stream`);
    await this.generator.joinAgents(streams, 'none');
  }

  async watchTicks(): Promise<() => Promise<TickReport>> {
    await this.#request('/ticks');
    return async () => {
      const latenessMs = ((await this.#request('/ticks')) as number[]).toSorted((a, b) => a - b);
      return { latenessP999Ms: latenessMs[Math.floor(latenessMs.length * 0.999)] ?? Number.NaN, skipped: 0 };
    };
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#child.stop();
    this.#claim.release();
  }

  get #url(): string {
    return `http://127.0.0.1:${this.#claim.first}`;
  }

  async #request(path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      signal: AbortSignal.timeout(REQUEST_DEADLINE_MS),
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    });
    return response.json();
  }
}
