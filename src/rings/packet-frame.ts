import { frameSamples } from '../base/frame.ts';
import type { FrameRing } from './frame-ring.ts';

/** How the frames of a ring to an agent are written: samples, or one packet of Opus each. */
export type RingCoding = 'pcm' | 'opus';

/** A ring of frames to an agent. */
export interface DownlinkRing extends FrameRing {
  readonly coding: RingCoding;
}

/** A ring of packets has the frames of this rate, of which each holds the longest packet. */
export const PACKET_RING_RATE_HZ = 48_000;
const LENGTH_BYTES = 2;

/**
 * A packet as a frame of a ring: its length in bytes, 16-bit little-endian, and its bytes. The longest packet of Opus takes
 * 1,500 of 1,920 bytes.
 */
export class PacketFrame {
  /** For the ring's producer. */
  readonly samples = new Int16Array(frameSamples(PACKET_RING_RATE_HZ));
  /** Where the packet is written. */
  readonly packet = new Uint8Array(this.samples.buffer, LENGTH_BYTES);

  set length(bytes: number) {
    this.samples[0] = bytes;
  }
}

/** The packet in a frame that was read. */
export function packetIn(frame: Uint8Array): Uint8Array {
  const length = frame[0]! | (frame[1]! << 8);
  return frame.subarray(LENGTH_BYTES, LENGTH_BYTES + length);
}
