/** Child process: the gateway's threads with calls that hear people in a room of Janus, beside RTP calls to telephones. */
import {
  OPUS_PAYLOAD_TYPE,
  OWN,
  TALK_TRANSPORT,
  type TalkSignal,
} from '../../src/connectors/nctalk/voice/talk-protocol.ts';
import { PACKET_MEDIA, RTP_MEDIA } from '../../src/rtp/rtp-protocol.ts';
import { BridgePool } from '../../src/threads/bridge-pool.ts';
import { Engine, type EngineCall } from '../../src/threads/engine.ts';
import { DEAF_AGENT } from '../../test/support/deaf-agent.ts';
import { JanusSession } from '../../test/support/janus-room.ts';
import { roomyQueue } from '../../test/unit/threads/roomy-queue.ts';
import { song } from '../opus/song.ts';
import { pcmuLeg } from '../pcmu-leg.ts';
import { answerWith } from './asked-program.ts';

export interface PhoneLeg {
  readonly rtpPort: number;
  readonly remotePort: number;
}

const ROOM_HZ = 48_000;
const PHONE_HZ = 8_000;
const PIECE_SAMPLES = 4_800;
const PIECE_MS = 100;
const FIRST_PIECES = 5;
const FIRST_FEED_OF_AGENTS = 1_000;

const fault = ({ message }: { message: string }): void => fail(message);
const engine = await Engine.start({
  threads: 1,
  callsPerThread: null,
  stallMs: 5_000,
  observer: {
    workerReady: () => {},
    workerLost: () => fail('a thread was lost'),
    callMoved: () => {},
    callFailed: (_call, error) => fault(error),
    fault,
  },
});
const bridges = new BridgePool({ observer: { transportLost: () => {}, threadStalled: () => {}, fault } });
const speech = song();
const sessions: JanusSession[] = [];
let calls = 0;
let legs: { close(): void }[] = [];

const orders = {
  /** Places calls, each of which speaks, and hears this many people. Resolves when all do. */
  async join(janusUrl: string, room: number, count: number, people: number): Promise<void> {
    for (let leg = 0; leg < count; leg++) legs.push(await joinOne(janusUrl, room, people));
  },

  async leave(): Promise<void> {
    for (const leg of legs) leg.close();
    legs = [];
  },

  async phone(phones: readonly PhoneLeg[]): Promise<void> {
    for (const { rtpPort, remotePort } of phones) {
      const open = { bindHost: '127.0.0.1', rtpPort, sampleRateHz: PHONE_HZ, bound: null };
      const leg = await place(PHONE_HZ).media.open(RTP_MEDIA, open, () => {});
      await leg.configure(pcmuLeg('127.0.0.1', remotePort));
    }
  },

  /** What the engine has counted so far. */
  async counted(): Promise<{ received: number; lost: number; latenessCounts: readonly number[] }> {
    const { total } = engine.report();
    return {
      received: total.packets_received,
      lost: total.packets_lost + total.packets_late,
      latenessCounts: total.latenessCounts,
    };
  },
};

export type LegsOrders = typeof orders;

answerWith(orders);

async function joinOne(janusUrl: string, room: number, people: number): Promise<{ close(): void }> {
  const session = await JanusSession.open({ url: janusUrl });
  sessions.push(session);
  const rings = bridges.packetRings();
  const connected = new Set<string>();
  let tell = (): void => {};
  const signal = (said: TalkSignal): void => {
    if (said.type === 'failed') fail(said.reason);
    if (said.type === 'connected') connected.add(said.connection);
    tell();
  };
  const transport = await bridges.open(TALK_TRANSPORT, { rings, iceServers: [] }, { signal, lost: fail });
  const own = await session.attach();
  const offer = await transport.command('publish');
  await transport.command('answered', await own.publish(room, FIRST_FEED_OF_AGENTS + calls, offer));
  for (let person = 2; person < people + 2; person++) {
    const handle = await session.attach();
    const theirs = await handle.subscribe(room, person);
    await handle.answer(await transport.command('subscribe', `person ${person}`, theirs));
  }
  await new Promise<void>((resolve) => {
    tell = () => connected.has(OWN) && connected.size === people + 1 && resolve();
    tell();
  });
  const call = place(ROOM_HZ);
  const leg = await call.media.open(
    PACKET_MEDIA,
    { rings, sampleRateHz: ROOM_HZ, speakers: 'ssrc' },
    () => {},
  );
  const opus = { maxBitrateBps: null, inbandFec: true, bitrateBps: 32_000 };
  await leg.configure({
    codec: 'opus',
    payloadType: OPUS_PAYLOAD_TYPE,
    opus,
    sending: true,
    receiving: true,
  });
  return {
    close: () => {
      void call.close();
      void transport.close();
      session.close();
    },
  };
}

/** A call with an agent that speaks and listens all the time. */
function place(rateHz: number): EngineCall {
  const call = engine.place(`call_${calls++}`, { ended: () => {}, turned: () => {}, heard: () => {} });
  const agent = call.joinAgent(DEAF_AGENT, roomyQueue());
  agent.listen(rateHz);
  call.startAudio();
  const step = ROOM_HZ / rateHz;
  const pieces = speech.filter((_, i) => i % step === 0);
  let at = 0;
  const write = (): void => {
    const samples = PIECE_SAMPLES / step;
    agent.write(pieces.slice(at, at + samples), rateHz);
    at = (at + samples) % (pieces.length - samples);
  };
  for (let i = 0; i < FIRST_PIECES; i++) write();
  setInterval(write, PIECE_MS);
  return call;
}

/** What is measured would be worth nothing. */
function fail(reason: string): never {
  console.error(reason);
  process.exit(1);
}
