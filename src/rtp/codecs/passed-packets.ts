import { MAX_OPUS_PACKET_BYTES } from '../../audio/libopus.ts';
import type { Payload } from '../../audio/payload.ts';

/** Packets of 2.5 ms that make up a frame, and as many again when the pace is faster. */
const MOST_PACKETS = 16;

/**
 * The packets of Opus that were decoded in the present tick of a call, as they came. A thread has one, for its calls tick
 * one after another. So an agent that listens in Opus gets them without another encoding.
 */
export class PassedPackets {
  /** Whether anybody wants the packets of this tick. */
  isWanted = false;
  count = 0;
  readonly lengths = new Int32Array(MOST_PACKETS);
  readonly #bytes = new Uint8Array(MOST_PACKETS * MAX_OPUS_PACKET_BYTES);
  /** The decoder whose packets these are. */
  #source: object | null = null;
  #isMixed = false;

  /** Begins the tick of a call. */
  begin(isWanted: boolean): void {
    this.isWanted = isWanted;
    this.count = 0;
    this.#source = null;
    this.#isMixed = false;
  }

  /** Whether the packets are those of several streams, which cannot be one. */
  get isMixed(): boolean {
    return this.#isMixed;
  }

  /** Records a packet that `source` has decoded. */
  add(source: object, { bytes, payloadOffset, payloadLength }: Payload): void {
    if (!this.#takes(source)) return;
    const at = this.count * MAX_OPUS_PACKET_BYTES;
    for (let i = 0; i < payloadLength; i++) this.#bytes[at + i] = bytes[payloadOffset + i]!;
    this.lengths[this.count] = payloadLength;
    this.count++;
  }

  /** Records that a packet is missing: one of one byte, in whose place every decoder conceals (RFC 6716 section 2.1.9). */
  addMissing(source: object, firstByte: number): void {
    if (!this.#takes(source)) return;
    this.#bytes[this.count * MAX_OPUS_PACKET_BYTES] = firstByte;
    this.lengths[this.count] = 1;
    this.count++;
  }

  /** Copies a packet and returns its length. */
  copy(index: number, out: Uint8Array): number {
    const at = index * MAX_OPUS_PACKET_BYTES;
    const length = this.lengths[index]!;
    for (let i = 0; i < length; i++) out[i] = this.#bytes[at + i]!;
    return length;
  }

  #takes(source: object): boolean {
    if (!this.isWanted || this.count === MOST_PACKETS) return false;
    this.#isMixed ||= this.#source !== null && this.#source !== source;
    this.#source = source;
    return true;
  }
}
