import type { CorePlan } from '../bench.ts';
import { Generator, type Song } from '../generator/generator.ts';
import type { Participant } from '../janus/janus-api.ts';
import { JanusProcess } from '../janus/janus-process.ts';
import type { CallSystem } from './call-system.ts';

const PCMU = { sampleRateHz: 8_000, codec: 'pcmu', payloadType: 0 } as const;

/** What both participants of every room speak. */
type Speech = { readonly sampleRateHz: number } & Omit<Participant, 'port'>;

/** Janus' AudioBridge: two phones in a room by plain RTP, decoded, mixed and encoded again. */
export class Janus implements CallSystem {
  readonly name = 'Janus AudioBridge';
  readonly ends = { phones: 2, agents: 0 } as const;
  readonly generator: Generator;
  readonly #janus: JanusProcess;
  readonly #speech: Speech;
  #calls = 0;

  private constructor(janus: JanusProcess, generator: Generator, speech: Speech) {
    this.#janus = janus;
    this.#speech = speech;
    this.generator = generator;
  }

  /** Phones speak PCMU, or Opus where there is a song. */
  static async start(cores: CorePlan, song?: Song): Promise<Janus> {
    const generator = Generator.start(cores.generators);
    await (song && generator.sing(song));
    return new Janus(await JanusProcess.start(cores.gateway), generator, song ? opusOf(song) : PCMU);
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
      await this.#janus.api.createRoom(room, this.#speech.sampleRateHz);
      for (const side of [0, 1]) {
        const { ip, port } = await this.#janus.api.join(room, {
          ...this.#speech,
          port: ports[i + side] ?? 0,
        });
        this.generator.call(this.#calls * 2 + side, ip, port);
      }
      this.#calls++;
    }
  }

  /** Janus does not report its clock. */
  async watchTicks(): Promise<null> {
    return null;
  }

  async stop(): Promise<void> {
    this.generator.stop();
    await this.#janus.stop();
  }
}

function opusOf({ payloadType, bitrateBps, complexity }: Song): Speech {
  return { sampleRateHz: 48_000, codec: 'opus', payloadType, opus: { bitrateBps, complexity } };
}
