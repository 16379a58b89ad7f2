import type { CorePlan } from '../bench.ts';
import type { CallSystem, TickReport } from '../calls/call-system.ts';
import { NaiveProcess } from '../calls/naive-process.ts';
import { Generator } from '../generator/generator.ts';
import { BusyVendor, SPEECH } from './busy-vendor.ts';

/** The naive gateway with calls that speak and listen all the time. */
export class NaiveHosted implements CallSystem {
  readonly name = 'naive gateway';
  readonly ends = { phones: 1, agents: 0 } as const;
  readonly generator: Generator;
  readonly #process: NaiveProcess;
  readonly #vendor: BusyVendor;
  #calls = 0;

  private constructor(process: NaiveProcess, vendor: BusyVendor, generator: Generator) {
    this.#process = process;
    this.#vendor = vendor;
    this.generator = generator;
  }

  static async start(cores: CorePlan): Promise<NaiveHosted> {
    const vendor = await BusyVendor.start(cores);
    const process = await NaiveProcess.start(cores, [vendor.url]);
    return new NaiveHosted(process, vendor, Generator.start(cores.generators));
  }

  get pid(): number {
    return this.#process.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    for (const port of await this.generator.openPhones(calls - this.#calls)) {
      const call = this.#calls++;
      const placed = await this.#process.place(port);
      this.generator.call(call, '127.0.0.1', placed.port);
      for (const text of SPEECH) await this.#process.request(`/call/${placed.call}/say`, { text });
    }
  }

  watchTicks(): Promise<() => Promise<TickReport>> {
    return this.#process.watchTicks();
  }

  watchOthers(): Promise<() => Promise<readonly string[]>> {
    return this.#vendor.watch(this.#calls);
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#process.stop();
    this.#vendor.stop();
  }
}
