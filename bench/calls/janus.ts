import type { CorePlan } from '../bench.ts';
import { Generator } from '../generator/generator.ts';
import { JanusProcess } from '../janus/janus-process.ts';
import type { CallSystem } from './call-system.ts';

const SAMPLE_RATE_HZ = 8_000;
const PCMU = { codec: 'pcmu', payloadType: 0 } as const;

/** Janus' AudioBridge: two phones in a room by plain RTP, decoded, mixed and encoded again. */
export class Janus implements CallSystem {
  readonly name = 'Janus AudioBridge';
  readonly ends = { phones: 2, agents: 0 } as const;
  readonly generator: Generator;
  readonly #janus: JanusProcess;
  #calls = 0;

  private constructor(janus: JanusProcess, generator: Generator) {
    this.#janus = janus;
    this.generator = generator;
  }

  static async start(cores: CorePlan): Promise<Janus> {
    return new Janus(await JanusProcess.start(cores.gateway), Generator.start(cores.generators));
  }

  get pid(): number {
    return this.#janus.pid;
  }

  get calls(): number {
    return this.#calls;
  }

  async grow(calls: number): Promise<void> {
    if (calls <= this.#calls) return;
    const ports = await this.generator.openPhones((calls - this.#calls) * 2);
    for (let i = 0; i < ports.length; i += 2) {
      const room = this.#calls + 1;
      await this.#janus.api.createRoom(room, SAMPLE_RATE_HZ);
      for (const side of [0, 1]) {
        const { ip, port } = await this.#janus.api.join(room, { ...PCMU, port: ports[i + side] ?? 0 });
        this.generator.call(this.#calls * 2 + side, ip, port);
      }
      this.#calls++;
    }
  }

  /** It tells nobody about its clock. */
  async watchTicks(): Promise<null> {
    return null;
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#janus.stop();
  }
}
