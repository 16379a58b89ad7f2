import type { RtpPacket } from '../rtp-packet.ts';

/**
 * Brings the timestamps of one stream to one clock when its codecs have different ones. After a change of the clock they are
 * counted by sequence numbers, because senders continue the former timestamps (RFC 7160 section 4.1) or begin anew.
 */
export class StreamClock {
  #isRunning = false;
  /** Ticks of the stream's clock in one of the latest packet with audio. */
  #scale = 0;
  /** Its timestamp, as it came and as it was corrected. */
  #timestamp = 0;
  #corrected = 0;
  #sequence = 0;
  #ticks = 0;

  /** Prepares for another stream. */
  restart(): void {
    this.#isRunning = false;
  }

  /** Corrects the timestamp of a packet with audio that lasts `ticks` of the stream's clock, `scale` times its own ones. */
  correct(packet: RtpPacket, scale: number, ticks: number): void {
    const { timestamp, sequenceNumber } = packet;
    const isNext = !this.#isRunning || this.#stepTo(packet) > 0;
    const corrected = this.#isRunning ? this.#correctedOf(packet, scale) : (timestamp * scale) >>> 0;
    packet.timestamp = corrected;
    if (!isNext) return;
    this.#isRunning = true;
    this.#scale = scale;
    this.#timestamp = timestamp;
    this.#corrected = corrected;
    this.#sequence = sequenceNumber;
    this.#ticks = ticks;
  }

  /** Places a packet without audio, whose clock may be any. */
  place(packet: RtpPacket): void {
    if (this.#isRunning) packet.timestamp = this.#bySequence(packet);
  }

  #correctedOf(packet: RtpPacket, scale: number): number {
    if (scale !== this.#scale) return this.#afterChange(packet);
    return (this.#corrected + ((packet.timestamp - this.#timestamp) | 0) * scale) >>> 0;
  }

  /** Events beside the audio have sequence numbers, too, so a former timestamp that is continued counts more. */
  #afterChange(packet: RtpPacket): number {
    const nextTimestamp = (this.#timestamp + this.#ticks / this.#scale) >>> 0;
    return packet.timestamp === nextTimestamp
      ? (this.#corrected + this.#ticks) >>> 0
      : this.#bySequence(packet);
  }

  #bySequence(packet: RtpPacket): number {
    return (this.#corrected + this.#stepTo(packet) * this.#ticks) >>> 0;
  }

  #stepTo({ sequenceNumber }: RtpPacket): number {
    return ((sequenceNumber - this.#sequence) << 16) >> 16;
  }
}
