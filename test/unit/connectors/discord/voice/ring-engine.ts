import { OpusDecoder, OpusEncoder } from '../../../../../src/audio/opus.ts';
import { WasmOpus } from '../../../../../src/audio/opus-wasm.ts';
import type { PacketRings } from '../../../../../src/media/packet-media.ts';
import { Doorbell } from '../../../../../src/rings/doorbell.ts';
import { PacketRingConsumer, PacketRingProducer } from '../../../../../src/rings/packet-ring.ts';
import { RtpPacket, writeRtpHeader } from '../../../../../src/rtp/rtp-packet.ts';

export const RATE_HZ = 48_000;
const FRAME_SAMPLES = 960;
const HEADER_BYTES = 12;
const TUNING = { bitrateBps: 64_000, complexity: 5, lossPercent: 0, signal: 'voice' } as const;
/** What the engine sends while the agent is silent: an empty frame. */
const PAUSE = 0x78;

export interface ReceivedPacket {
  readonly ssrc: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly arrivalMs: number;
  readonly samples: Int16Array;
}

/** The engine's end of a call's packet rings: a packet every 20 ms of what the agent says, and all that is received. */
export class RingEngine {
  readonly #received: PacketRingConsumer;
  readonly #sent: PacketRingProducer;
  readonly #doorbell: Doorbell;
  readonly #opus = new WasmOpus();
  readonly #encoder = new OpusEncoder(this.#opus, RATE_HZ, TUNING);
  readonly #decoders = new Map<number, OpusDecoder>();
  readonly #packet = new RtpPacket();
  readonly packets: ReceivedPacket[] = [];
  #says: ((frame: Int16Array) => void) | null = null;
  #ticks = 0;
  readonly #timer: NodeJS.Timeout;

  constructor({ received, sent, doorbell }: PacketRings) {
    this.#received = new PacketRingConsumer(received);
    this.#sent = new PacketRingProducer(sent);
    this.#doorbell = new Doorbell(doorbell);
    const beganMs = performance.now();
    this.#timer = setInterval(() => {
      this.#receive();
      while (this.#ticks * 20 < performance.now() - beganMs) this.#send();
    }, 10);
  }

  /** Fills every frame from now on; null: the agent is silent. */
  say(fill: ((frame: Int16Array) => void) | null): void {
    this.#says = fill;
  }

  /** Everything heard of a stream since `clear`. */
  samplesOf(ssrc: number): Int16Array {
    const parts = this.packets.filter((packet) => packet.ssrc === ssrc).map(({ samples }) => samples);
    const all = new Int16Array(parts.length * FRAME_SAMPLES);
    for (const [index, part] of parts.entries()) all.set(part, index * FRAME_SAMPLES);
    return all;
  }

  clear(): void {
    this.packets.length = 0;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #send(): void {
    this.#ticks++;
    const bytes = new Uint8Array(1_500);
    const header = { payloadType: 120, marker: false, sequenceNumber: this.#ticks, ssrc: 7 };
    writeRtpHeader(bytes, { ...header, timestamp: this.#ticks * FRAME_SAMPLES });
    const length = HEADER_BYTES + this.#payload(bytes);
    if (this.#sent.write(bytes, length, performance.now())) this.#doorbell.ring();
  }

  #payload(bytes: Uint8Array): number {
    if (this.#says === null) {
      bytes[HEADER_BYTES] = PAUSE;
      return 1;
    }
    const frame = new Int16Array(FRAME_SAMPLES);
    this.#says(frame);
    return this.#encoder.encode(frame, bytes, HEADER_BYTES, 1_000);
  }

  #receive(): void {
    while (this.#received.next()) {
      const { bytes, start, end, arrivalMs } = this.#received;
      const packet = this.#packet;
      if (!packet.read(bytes, start, end)) throw new Error('not an RTP packet');
      const { ssrc, sequenceNumber: sequence, timestamp } = packet;
      this.packets.push({ ssrc, sequence, timestamp, arrivalMs, samples: this.#decode(packet) });
    }
  }

  #decode(packet: RtpPacket): Int16Array {
    let decoder = this.#decoders.get(packet.ssrc);
    if (decoder === undefined) {
      decoder = new OpusDecoder(this.#opus, RATE_HZ);
      this.#decoders.set(packet.ssrc, decoder);
    }
    const frame = new Int16Array(FRAME_SAMPLES);
    const length = decoder.decode(packet, frame, 0, FRAME_SAMPLES);
    if (length !== FRAME_SAMPLES) throw new Error('not 20 ms of Opus');
    return frame;
  }
}
