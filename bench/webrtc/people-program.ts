/** Child process: people who speak without a pause, each in a connection of their own to a room of Janus. */
import { OpusEncoder } from '../../src/audio/opus.ts';
import { WasmOpus } from '../../src/audio/opus-wasm.ts';
import { makeCertificate } from '../../src/webrtc/dtls-session.ts';
import { PeerConnection } from '../../src/webrtc/peer-connection.ts';
import { JanusSession } from '../../test/support/janus-room.ts';
import { song } from '../opus/song.ts';
import { answerWith } from './asked-program.ts';

const FRAME_MS = 20;
const FRAME_SAMPLES = 960;
/** As browsers speak. */
const OPUS = { bitrateBps: 32_000, complexity: 5, lossPercent: 0, signal: 'voice' } as const;
const HEADER_BYTES = 12;
const MAX_PACKET_BYTES = 500;

const packets = encoded();
const speaking: PeerConnection[] = [];

const orders = {
  /** Opens a room with this many people, 2, 3 … in it. Returns its number. */
  async open(janusUrl: string, people: number): Promise<number> {
    const session = await JanusSession.open({ url: janusUrl });
    const room = await (await session.attach()).createRoom();
    const certificate = await makeCertificate();
    for (let person = 0; person < people; person++) {
      const handle = await session.attach();
      const connected = Promise.withResolvers<void>();
      const observer = {
        candidate: () => {},
        connected: connected.resolve,
        failed: (reason: string) => connected.reject(new Error(reason)),
        rtp: () => {},
      };
      const connection = await PeerConnection.open({ iceServers: [], certificate, observer }, true);
      connection.accept(await handle.publish(room, person + 2, connection.offer()));
      await connected.promise;
      speaking.push(connection);
    }
    return room;
  },
};

export type PeopleOrders = typeof orders;

answerWith(orders);
speak();

function encoded(): Buffer[] {
  const samples = song();
  const encoder = new OpusEncoder(new WasmOpus(), 48_000, OPUS);
  return Array.from({ length: Math.floor(samples.length / FRAME_SAMPLES) }, (_, i) => {
    const packet = Buffer.alloc(MAX_PACKET_BYTES);
    packet[0] = 0x80;
    const frame = samples.subarray(i * FRAME_SAMPLES, (i + 1) * FRAME_SAMPLES);
    const length = encoder.encode(frame, packet, HEADER_BYTES, MAX_PACKET_BYTES - HEADER_BYTES);
    return packet.subarray(0, HEADER_BYTES + length);
  });
}

function speak(): void {
  const startMs = performance.now();
  let spoken = 0;
  setInterval(() => {
    for (const due = (performance.now() - startMs) / FRAME_MS; spoken < due; spoken++) {
      const packet = packets[spoken % packets.length]!;
      packet.writeUInt32BE((spoken * FRAME_SAMPLES) >>> 0, 4);
      for (const connection of speaking) connection.send({ bytes: packet, start: 0, end: packet.length });
    }
  }, FRAME_MS);
}
