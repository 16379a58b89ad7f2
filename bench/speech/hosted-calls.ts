import type { CorePlan } from '../bench.ts';
import type { CallSystem, TickReport } from '../calls/call-system.ts';
import { watchTicks } from '../calls/gateway-ticks.ts';
import { Generator } from '../generator/generator.ts';
import { BusyVendor, SPEECH } from './busy-vendor.ts';
import { HostedGateway } from './hosted-gateway.ts';

/** The gateway with calls that speak and listen all the time. */
export class HostedCalls implements CallSystem {
  readonly name = 'gateway';
  readonly ends = { phones: 1, agents: 0 } as const;
  readonly generator: Generator;
  readonly #hosted: HostedGateway;
  readonly #vendor: BusyVendor;
  #calls = 0;

  private constructor(hosted: HostedGateway, vendor: BusyVendor, generator: Generator) {
    this.#hosted = hosted;
    this.#vendor = vendor;
    this.generator = generator;
  }

  static async start(cores: CorePlan): Promise<HostedCalls> {
    const vendor = await BusyVendor.start(cores);
    const generator = Generator.start(cores.generators);
    const hosted = await HostedGateway.start(cores, generator, vendor.url);
    await hosted.host();
    return new HostedCalls(hosted, vendor, generator);
  }

  get pid(): number {
    return this.#hosted.gateway.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    const callIds = await this.#hosted.place(calls - this.#calls);
    for (const callId of callIds) for (const text of SPEECH) await this.#hosted.say(callId, text);
    this.#calls = calls;
  }

  watchTicks(): Promise<() => Promise<TickReport>> {
    return watchTicks(this.#hosted.gateway);
  }

  watchOthers(): Promise<() => Promise<readonly string[]>> {
    return this.#vendor.watch(this.#calls);
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#hosted.stop();
    this.#vendor.stop();
  }
}
