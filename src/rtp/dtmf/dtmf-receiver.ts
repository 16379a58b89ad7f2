import type { RtpPacket } from '../rtp-packet.ts';
import { DTMF_PAYLOAD_BYTES, dtmfDigit } from './dtmf-event.ts';

/**
 * Turns telephone-event packets into digits (RFC 4733). All packets of an event carry the timestamp of its start, so
 * the first one that arrives reports the digit. Losing any of the others, including the last three, does no harm.
 */
export class DtmfReceiver {
  #timestamp: number | null = null;
  #event = -1;
  #durationSamples = 0;

  /** Prepares for another stream with its own clock. */
  restart(): void {
    this.#timestamp = null;
  }

  /** Returns the digit that starts with this packet, or null. */
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
    // Section 2.5.1.3: an event too long for its duration field continues as a new segment right where the last one
    // ended.
    const isSegment = event === this.#event && laterSamples === this.#durationSamples;
    return !(isSegment && this.#durationSamples === 0xffff);
  }
}
