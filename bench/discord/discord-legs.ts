import { Gateway } from '../../test/support/gateway.ts';
import type { CorePlan } from '../bench.ts';
import type { CallSystem, TickReport } from '../calls/call-system.ts';
import { watchTicks } from '../calls/gateway-ticks.ts';
import { gatewaySettings } from '../calls/our-gateway.ts';
import { Generator, type Song } from '../generator/generator.ts';
import { ownLoopbackAddress } from '../loopback.ts';
import { DiscordCalls } from './discord-calls.ts';
import { DiscordFarEnds } from './far-ends/discord-far-ends.ts';

/** The gateway with calls in voice channels. */
export class DiscordLegs implements CallSystem {
  readonly name = 'gateway';
  readonly ends = { phones: 1, agents: 1 } as const;
  readonly generator: Generator;
  readonly #gateway: Gateway;
  readonly #farEnds: DiscordFarEnds;
  readonly #placed: DiscordCalls;
  #calls = 0;

  private constructor(gateway: Gateway, farEnds: DiscordFarEnds, generator: Generator) {
    this.#gateway = gateway;
    this.#farEnds = farEnds;
    this.generator = generator;
    this.#placed = new DiscordCalls({ gateway, farEnds, generator });
  }

  static async start(cores: CorePlan, song: Song): Promise<DiscordLegs> {
    const farEnds = await DiscordFarEnds.start(cores);
    const generator = Generator.start(cores.generators);
    await generator.sing(song);
    const env = { ...gatewaySettings(ownLoopbackAddress()), ...farEnds.settings };
    return new DiscordLegs(await Gateway.start({ prefix: cores.gateway, env }), farEnds, generator);
  }

  get pid(): number {
    return this.#gateway.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    await this.#placed.place(calls - this.#calls);
    this.#calls = calls;
  }

  watchTicks(): Promise<() => Promise<TickReport>> {
    return watchTicks(this.#gateway);
  }

  watchOthers(): Promise<() => Promise<readonly string[]>> {
    return this.#farEnds.watch();
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#gateway.stop();
    this.#farEnds.stop();
  }
}
