import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import type { CallSystem, TickReport } from './call-system.ts';
import { NaiveProcess } from './naive-process.ts';

/** The naive gateway of `bench/naive-gateway`: a phone and an agent on every call. */
export class NaiveGateway implements CallSystem {
  readonly name = 'naive gateway';
  readonly ends = { phones: 1, agents: 1 } as const;
  readonly generator: Generator;
  readonly #process: NaiveProcess;
  #calls = 0;

  private constructor(process: NaiveProcess, generator: Generator) {
    this.#process = process;
    this.generator = generator;
  }

  static async start(cores: CorePlan): Promise<NaiveGateway> {
    return new NaiveGateway(await NaiveProcess.start(cores), Generator.start(cores.generators));
  }

  get pid(): number {
    return this.#process.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    const ports = await this.generator.openPhones(calls - this.#calls);
    for (const port of ports) {
      const placed = await this.#process.place(port);
      this.generator.call(this.#calls++, '127.0.0.1', placed.port);
    }
    const streams = ports.map((_, i) => `${this.#process.url}/call/${calls - ports.length + i}/stream`);
    await this.generator.joinAgents(streams, 'none');
  }

  watchTicks(): Promise<() => Promise<TickReport>> {
    return this.#process.watchTicks();
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#process.stop();
  }
}
