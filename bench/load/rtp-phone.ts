import { createSocket, type Socket } from 'node:dgram';
import { ArrivalCounter, type LatenessHistogram } from './arrivals.ts';
import { decodeMuLaw, encodeMuLaw } from './g711.ts';
import { ProbeListener, probeFrames } from './probe-tone.ts';
import type { MediaAddress } from './sip-answerer.ts';

const RTP_HEADER_BYTES = 12;
const FRAME_SAMPLES = 160;
const SAMPLE_RATE_HZ = 8_000;
const PT_PCMU = 0;

const DECODED = Int16Array.from({ length: 256 }, (_, byte) => decodeMuLaw(byte));
const PROBE = probeFrames(SAMPLE_RATE_HZ).map((frame) => Uint8Array.from(frame, encodeMuLaw));

/** One call's media: sends the probe signal as numbered packets and checks what comes back. */
export class RtpPhone {
  packetsSent = 0;
  packetsLost = 0;
  readonly arrivals: ArrivalCounter;
  readonly listener = new ProbeListener(SAMPLE_RATE_HZ);
  readonly #socket: Socket = createSocket('udp4');
  readonly #packets: readonly Buffer[];
  readonly #frame = new Int16Array(FRAME_SAMPLES);
  #sequence = 0;
  #nextSequence = -1;
  #connected = false;

  constructor(host: string, port: number, ssrc: number, remote: MediaAddress, histogram: LatenessHistogram) {
    this.arrivals = new ArrivalCounter(histogram);
    this.#packets = PROBE.map((payload) => {
      const packet = Buffer.alloc(RTP_HEADER_BYTES + FRAME_SAMPLES);
      packet[0] = 0x80;
      packet[1] = PT_PCMU;
      packet.writeUInt32BE(ssrc, 8);
      packet.set(payload, RTP_HEADER_BYTES);
      return packet;
    });
    this.#socket.on('message', (packet) => this.#receive(packet));
    this.#socket.on('error', () => {});
    this.#socket.bind(port, host, () => {
      this.#socket.connect(remote.port, remote.host, () => {
        this.#connected = true;
      });
    });
  }

  send(): void {
    if (!this.#connected) return;
    const packet = this.#packets[this.#sequence & 1] as Buffer;
    packet.writeUInt16BE(this.#sequence & 0xffff, 2);
    packet.writeUInt32BE((this.#sequence * FRAME_SAMPLES) >>> 0, 4);
    this.#sequence++;
    this.#socket.send(packet);
    if (this.arrivals.counting) this.packetsSent++;
  }

  begin(): void {
    this.packetsSent = 0;
    this.packetsLost = 0;
    this.listener.breaks = 0;
    this.arrivals.begin();
  }

  #receive(packet: Buffer): void {
    if (packet.length !== RTP_HEADER_BYTES + FRAME_SAMPLES) return;
    const sequence = packet.readUInt16BE(2);
    const skipped = (sequence - this.#nextSequence) & 0xffff;
    if (this.#nextSequence >= 0 && skipped < 0x8000) this.packetsLost += skipped;
    this.#nextSequence = (sequence + 1) & 0xffff;
    for (let i = 0; i < FRAME_SAMPLES; i++) {
      this.#frame[i] = DECODED[packet[RTP_HEADER_BYTES + i] as number] as number;
    }
    this.listener.hear(this.#frame, this.arrivals.counting);
    this.arrivals.arrived(performance.now());
  }
}
