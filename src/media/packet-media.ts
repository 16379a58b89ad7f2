/**
 * The RTP packets of one call between an engine thread and a bridge thread, in shared memory. A packet is whole: header
 * with CSRCs and extensions, and the payload in the clear. Both directions carry the time at which it was written. When a
 * transport is lost, another one may take over its rings; the media leg stays open and is silent meanwhile.
 */
export interface PacketRings {
  /** What the platform sends. The engine reads it once per tick. */
  readonly received: SharedArrayBuffer;
  /** What the platform is sent: one packet per tick while the leg is sending. */
  readonly sent: SharedArrayBuffer;
  /** Rung whenever a packet for the platform was written. */
  readonly doorbell: SharedArrayBuffer;
}
