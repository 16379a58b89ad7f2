import { BridgeWorker } from '../../src/bridge/bridge-worker.ts';
import { type Transport, transportFactory } from '../../src/media/transport.ts';
import { PacketPort } from '../../src/rings/packet-port.ts';
import { PcmPort } from '../../src/rings/pcm-port.ts';
import { RTP_HEADER_BYTES, writeRtpHeader } from '../../src/rtp/rtp-packet.ts';
import type { TransportOutcome, TransportPlacement } from '../../src/threads/bridge-protocol.ts';
import { Crossings } from './crossings.ts';
import { type BenchCommands, PACKET_SOURCE, PCM_SOURCE, ROOM_HZ } from './protocols.ts';

const FRAME_MS = 20;
const FRAME_SAMPLES = (ROOM_HZ * FRAME_MS) / 1_000;

/** Calls `speak` every 20 ms, from a random moment on, without drift. Returns what stops it. */
function every20Ms(speak: () => void): () => void {
  const startMs = performance.now() + Math.random() * FRAME_MS;
  let said = 0;
  let timer: NodeJS.Timeout;
  const next = (): void => {
    for (; startMs + said * FRAME_MS <= performance.now(); said++) speak();
    timer = setTimeout(next, startMs + said * FRAME_MS - performance.now());
  };
  timer = setTimeout(next, startMs - performance.now());
  return () => clearTimeout(timer);
}

/** A stream of G.711 packets that costs the thread next to nothing. */
class CheapStream {
  readonly packet = Uint8Array.from({ length: RTP_HEADER_BYTES + FRAME_SAMPLES }, (_, i) => (i * 7) & 0xff);
  readonly #header = { payloadType: 0, marker: false, sequenceNumber: 0, timestamp: 0, ssrc: 0 };

  constructor(ssrc: number) {
    this.#header.ssrc = ssrc;
  }

  next(): Uint8Array {
    this.#header.sequenceNumber++;
    this.#header.timestamp += FRAME_SAMPLES;
    writeRtpHeader(this.packet, this.#header);
    return this.packet;
  }
}

/** `write` puts one more frame into the ring. */
function commandsOf(write: () => void): Transport<BenchCommands>['commands'] {
  return {
    exit: async () => process.exit(3),
    stall: async () => {
      for (;;);
    },
    flood: async (milliseconds) => {
      const endMs = performance.now() + milliseconds;
      while (performance.now() < endMs) {
        // The heartbeat goes on, so that nobody stops the thread.
        await new Promise(setImmediate);
        for (let i = 0; i < 1_000; i++) write();
      }
    },
  };
}

const packets = transportFactory(PACKET_SOURCE, async ({ rings, crossings: memory }) => {
  const port = new PacketPort(rings);
  const crossings = new Crossings(memory);
  const stream = new CheapStream(1);
  const stop = every20Ms(() => crossings.write(() => port.receive(stream.next())));
  port.listen(() => crossings.take());
  return {
    commands: commandsOf(() => port.receive(stream.next())),
    close: () => {
      stop();
      port.close();
    },
  };
});

const pcm = transportFactory(PCM_SOURCE, async ({ rings, crossings: memory }) => {
  const port = new PcmPort(rings);
  const crossings = new Crossings(memory);
  const frame = Int16Array.from({ length: FRAME_SAMPLES }, (_, i) => 8_000 * Math.sin(i / 3));
  const stop = every20Ms(() => crossings.write(() => port.say(0, frame, ROOM_HZ)));
  port.listen(() => crossings.take());
  return {
    commands: commandsOf(() => port.say(0, frame, ROOM_HZ)),
    close: () => {
      stop();
      port.close();
    },
  };
});

const worker = new BridgeWorker([packets, pcm]);

export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
