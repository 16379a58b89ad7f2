import { OPUS_PAYLOAD_TYPE } from '../../src/connectors/nctalk/voice/talk-protocol.ts';
import type { PacketRings } from '../../src/media/packet-media.ts';
import { PACKET_MEDIA } from '../../src/rtp/rtp-protocol.ts';
import { BridgePool } from '../../src/threads/bridge-pool.ts';
import type { EngineCall } from '../../src/threads/call-link.ts';
import { Engine } from '../../src/threads/engine.ts';
import { roomyQueue } from '../unit/threads/roomy-queue.ts';
import { DEAF_AGENT } from './deaf-agent.ts';
import { tappedVoice } from './tapped-voice.ts';
import { Tone } from './tone.ts';
import { waitFor } from './wait-for.ts';

export const ROOM_RATE_HZ = 48_000;
const FRAMES_PER_SECOND = 50;
/** The agent's words are written in pieces, so that it speaks as long as the test lasts. */
const PIECE_MS = 500;
const FIRST_PIECES = 4;

/** The engine's half of a call of Nextcloud Talk, with an agent that says one tone. */
export class TalkCall {
  readonly bridges: BridgePool;
  readonly rings: PacketRings;
  /** What the process has reported as a bug. */
  readonly faults: readonly string[];
  readonly #engine: Engine;
  readonly #call: EngineCall;
  readonly #voices = new Map<number, number>();
  readonly #speaking: NodeJS.Timeout;

  private constructor(engine: Engine, bridges: BridgePool, faults: readonly string[], agentHz: number) {
    this.#engine = engine;
    this.faults = faults;
    this.bridges = bridges;
    this.rings = bridges.packetRings();
    this.#call = engine.place('call_1', { ended: () => {}, turned: () => {}, heard: () => {} });
    this.#speaking = this.#say(agentHz);
  }

  /** `workerUrl`: of bridge threads that can do more. */
  static async open(agentHz: number, workerUrl?: URL): Promise<TalkCall> {
    const nothing = (): void => {};
    const faults: string[] = [];
    const fault = ({ message }: { message: string }) => void faults.push(message);
    const observer = {
      workerReady: nothing,
      workerLost: nothing,
      callMoved: nothing,
      callFailed: nothing,
      fault,
    };
    const engine = await Engine.start({ threads: 1, callsPerThread: null, stallMs: 2_000, observer });
    const bridgeObserver = { transportLost: nothing, threadStalled: nothing, fault };
    const bridges = new BridgePool({ observer: bridgeObserver, ...(workerUrl && { workerUrl }) });
    const call = new TalkCall(engine, bridges, faults, agentHz);
    await call.#openLeg();
    return call;
  }

  /** What is heard from now on of the stream of a person alone. */
  async hear(ssrc: number | undefined, seconds: number): Promise<Int16Array> {
    await waitFor('a voice for the stream', () => this.#voices.has(ssrc ?? -1));
    return await tappedVoice(this.#call, this.#voices.get(ssrc!)!, ROOM_RATE_HZ, seconds * FRAMES_PER_SECOND);
  }

  async close(): Promise<void> {
    clearInterval(this.#speaking);
    await this.#engine.close(1_000);
    await this.bridges.close(1_000);
  }

  async #openLeg(): Promise<void> {
    const open = { rings: this.rings, sampleRateHz: ROOM_RATE_HZ, speakers: 'ssrc' } as const;
    const leg = await this.#call.media.open(PACKET_MEDIA, open, (event) => {
      if (event.type === 'signal') this.#voices.set(event.signal.ssrc, event.signal.voice);
    });
    const opus = { maxBitrateBps: null, inbandFec: true };
    const both = { sending: true, receiving: true };
    await leg.configure({ codec: 'opus', payloadType: OPUS_PAYLOAD_TYPE, opus, ...both });
  }

  #say(agentHz: number): NodeJS.Timeout {
    const agent = this.#call.joinAgent(DEAF_AGENT, roomyQueue());
    agent.listen(ROOM_RATE_HZ);
    this.#call.startAudio();
    const tone = new Tone(agentHz, ROOM_RATE_HZ, 0.3);
    const write = (): void => {
      const samples = new Int16Array((ROOM_RATE_HZ * PIECE_MS) / 1000);
      tone.fill(samples);
      agent.write(samples, ROOM_RATE_HZ);
    };
    for (let i = 0; i < FIRST_PIECES; i++) write();
    return setInterval(write, PIECE_MS);
  }
}
