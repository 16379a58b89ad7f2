import { RTP_HEADER_BYTES, type RtpPacket, writeRtpHeader } from '../../../rtp/rtp-packet.ts';
import { OPUS_PAYLOAD_TYPE } from './talk-protocol.ts';

const TICKS_PER_MS = 48;
/** Of the packets of browsers. */
const PACKET_MS = 20;
const SEQUENCE_MASK = 0xffff;
const HALF_SEQUENCE = 0x8000;

/**
 * The RTP stream in which a person is heard. Each of their connections has a stream of its own, with whatever SSRC, numbers and
 * times; here they are one, which goes on where the former connection has stopped.
 */
export class PersonStream {
  readonly ssrc: number;
  /** The last packet by its number, as passed on. */
  #sequence = 0;
  #timestamp = 0;
  #arrivalMs = 0;
  /** What is added to the numbers and times of the connection. */
  #sequenceShift = 0;
  #timestampShift = 0;
  #isNew = true;
  readonly #header = {
    payloadType: OPUS_PAYLOAD_TYPE,
    marker: false,
    sequenceNumber: 0,
    timestamp: 0,
    ssrc: 0,
  };

  constructor(ssrc: number) {
    this.ssrc = ssrc;
    this.#header.ssrc = ssrc;
  }

  /** Another connection follows. */
  restart(): void {
    this.#isNew = true;
  }

  /** Writes the packet as one of this stream, without CSRCs and extension, and returns its length; 0 when it is longer than `out`. */
  rewrite(packet: RtpPacket, arrivalMs: number, out: Uint8Array): number {
    const { bytes, payloadOffset, payloadLength } = packet;
    const length = RTP_HEADER_BYTES + payloadLength;
    if (length > out.length) return 0;
    if (this.#isNew) this.#join(packet, arrivalMs);
    const header = this.#header;
    header.marker = packet.marker || this.#isNew;
    header.sequenceNumber = (packet.sequenceNumber + this.#sequenceShift) & SEQUENCE_MASK;
    header.timestamp = (packet.timestamp + this.#timestampShift) >>> 0;
    this.#isNew = false;
    this.#note(arrivalMs);
    writeRtpHeader(out, header);
    for (let i = 0; i < payloadLength; i++) out[RTP_HEADER_BYTES + i] = bytes[payloadOffset + i]!;
    return length;
  }

  /** The first numbers follow the clock, so they are ahead of what another thread has written for this person before. */
  #join({ sequenceNumber, timestamp }: RtpPacket, arrivalMs: number): void {
    if (this.#arrivalMs === 0) {
      this.#sequence = Math.floor(arrivalMs / PACKET_MS) & SEQUENCE_MASK;
      this.#timestamp = Math.floor(arrivalMs * TICKS_PER_MS) >>> 0;
      this.#arrivalMs = arrivalMs;
    }
    const pauseMs = arrivalMs - this.#arrivalMs;
    this.#sequenceShift = this.#sequence + 1 - sequenceNumber;
    this.#timestampShift = this.#timestamp + Math.round(pauseMs * TICKS_PER_MS) - timestamp;
  }

  /** Of packets that overtake each other, the one with the highest number counts. */
  #note(arrivalMs: number): void {
    const { sequenceNumber, timestamp } = this.#header;
    if (((sequenceNumber - this.#sequence) & SEQUENCE_MASK) >= HALF_SEQUENCE) return;
    this.#sequence = sequenceNumber;
    this.#timestamp = timestamp;
    this.#arrivalMs = arrivalMs;
  }
}
