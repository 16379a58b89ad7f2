import type { RtpPacket } from '../rtp-packet.ts';

/** Packets in a row that prove a doubled clock. Fewer may come from a sender that leaves out silence. */
const PROVING_PACKETS = 5;

/**
 * Corrects the timestamps of peers that count the samples of G.722, two a byte, instead of the ticks of its clock, one a
 * byte (RFC 3551 section 4.5.2). Some do so only while a stream begins.
 */
export class G722Clock {
  #isRunning = false;
  #isDoubled = false;
  #proofs = 0;
  /** Timestamp of the latest packet, as it came and as it was corrected. */
  #timestamp = 0;
  #corrected = 0;
  /** Length of the last packet with audio, and the sequence number after it. */
  #bytes = 0;
  #nextSequence = -1;

  /** Prepares for another stream. */
  restart(): void {
    this.#isRunning = false;
  }

  /** Corrects the packet's timestamp. `isAudio`: it has a payload of the codec. */
  correct(packet: RtpPacket, isAudio: boolean): void {
    if (!this.#isRunning) this.#begin(packet);
    const ticks = (packet.timestamp - this.#timestamp) | 0;
    if (isAudio) this.#judge(packet, ticks);
    const corrected = (this.#corrected + (this.#isDoubled ? ticks >> 1 : ticks)) >>> 0;
    if (ticks > 0) {
      this.#timestamp = packet.timestamp;
      this.#corrected = corrected;
    }
    packet.timestamp = corrected;
  }

  #begin({ timestamp }: RtpPacket): void {
    this.#isRunning = true;
    this.#isDoubled = false;
    this.#proofs = 0;
    this.#timestamp = timestamp;
    this.#corrected = timestamp;
    this.#nextSequence = -1;
  }

  #judge({ sequenceNumber, payloadLength }: RtpPacket, ticks: number): void {
    if (sequenceNumber === this.#nextSequence) {
      this.#proofs = ticks === 2 * this.#bytes ? this.#proofs + 1 : 0;
      if (this.#proofs >= PROVING_PACKETS) this.#isDoubled = true;
      else if (ticks === this.#bytes) this.#isDoubled = false;
    }
    this.#bytes = payloadLength;
    this.#nextSequence = (sequenceNumber + 1) & 0xffff;
  }
}
