import type { MediaControl } from '../../src/media/media-control.ts';
import type { OpenedTransport } from '../../src/media/transport.ts';
import type { BridgePool } from '../../src/threads/bridge-pool.ts';
import { Crossings } from './crossings.ts';
import type { EngineUnderTest } from './engine-under-test.ts';
import {
  type BenchCommands,
  PACKET_SOURCE,
  PCM_SOURCE,
  ROOM_HZ,
  WATCHED_PACKETS,
  WATCHED_PCM,
} from './protocols.ts';

export type BridgedKind = 'packets' | 'pcm';

const PCMU = { codec: 'PCMU', payloadType: 0, opus: null, sending: true, receiving: true } as const;

/** How a kind of call opens its transport and its media leg. */
interface Opening {
  readonly join: () => Promise<OpenedTransport<BenchCommands>>;
  readonly openLeg: (media: MediaControl) => Promise<unknown>;
}

/** A call over a bridge thread. Joins again whenever its transport is lost. */
export class BridgedCall {
  readonly crossings = new Crossings();
  readonly #opening: Opening;
  #transport: OpenedTransport<BenchCommands> | null = null;

  static async open(under: EngineUnderTest, kind: BridgedKind): Promise<BridgedCall> {
    const call = new BridgedCall(under.bridges, kind);
    call.#transport = await call.#opening.join();
    // Only now, so that no frame is dropped because nobody reads it.
    await call.#opening.openLeg(under.place().media);
    return call;
  }

  private constructor(bridges: BridgePool, kind: BridgedKind) {
    this.#opening = kind === 'packets' ? this.#byPackets(bridges) : this.#byPcm(bridges);
  }

  #byPackets(bridges: BridgePool): Opening {
    const rings = bridges.packetRings();
    const crossings = this.crossings.memory;
    const open = { rings, sampleRateHz: ROOM_HZ, speakers: 'ssrc', crossings } as const;
    return {
      join: () => bridges.open(PACKET_SOURCE, { rings, crossings }, this.#observer),
      openLeg: async (media) => (await media.open(WATCHED_PACKETS, open, () => {})).configure(PCMU),
    };
  }

  #byPcm(bridges: BridgePool): Opening {
    const rings = bridges.pcmRings(1, ROOM_HZ);
    const crossings = this.crossings.memory;
    return {
      join: () => bridges.open(PCM_SOURCE, { rings, crossings }, this.#observer),
      openLeg: (media) => media.open(WATCHED_PCM, { rings, crossings }, () => {}),
    };
  }

  get #observer() {
    return { signal: () => {}, lost: () => this.#rejoin() };
  }

  /** Runs a command that may end the thread. */
  async run(name: 'exit' | 'stall'): Promise<void> {
    await this.#transport?.command(name).catch(() => {});
  }

  async flood(milliseconds: number): Promise<void> {
    await this.#transport?.command('flood', milliseconds);
  }

  #rejoin(): void {
    this.#transport = null;
    this.#opening.join().then(
      (transport) => {
        this.#transport = transport;
      },
      // The thread was lost again meanwhile.
      () => this.#rejoin(),
    );
  }
}
