import type { RtpPacket } from '../rtp/rtp-packet.ts';
import { DTMF_PAYLOAD_BYTES, dtmfDigit } from './dtmf-event.ts';

/**
 * Turns telephone-event packets into digits (RFC 4733). All packets of one event carry the timestamp of its start,
 * so the first one that arrives tells the digit, and lost ones, the last three included, do no harm.
 */
export class DtmfReceiver {
  #timestamp: number | null = null;
  #event = -1;
  #durationSamples = 0;

  /** Another stream follows, with a clock of its own. */
  restart(): void {
    this.#timestamp = null;
  }

  /** The digit that begins with this packet, or null. */
  accept(packet: RtpPacket): string | null {
    if (packet.payloadLength < DTMF_PAYLOAD_BYTES) return null;
    const event = packet.bytes[packet.payloadOffset]!;
    const at = packet.payloadOffset + 2;
    const durationSamples = (packet.bytes[at]! << 8) | packet.bytes[at + 1]!;
    const isNew = this.#isNew(packet.timestamp, event);
    if (this.#timestamp === null || ((packet.timestamp - this.#timestamp) | 0) >= 0) {
      this.#timestamp = packet.timestamp;
      this.#event = event;
      this.#durationSamples = durationSamples;
    }
    return isNew ? dtmfDigit(event) : null;
  }

  #isNew(timestamp: number, event: number): boolean {
    if (this.#timestamp === null) return true;
    const laterSamples = (timestamp - this.#timestamp) | 0;
    if (laterSamples <= 0) return false;
    // Section 2.5.1.3: an event too long for its duration field goes on as a segment right where it stopped.
    const isSegment = event === this.#event && laterSamples === this.#durationSamples;
    return !(isSegment && this.#durationSamples === 0xffff);
  }
}
