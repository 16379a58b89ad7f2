/** Counters of one SIP leg since it was opened. The engine always reads the same object. */
export interface SipMediaCounters {
  packetsReceived: number;
  packetsSent: number;
  /** Packets that are not RTP, have a payload length or type that was not negotiated, or have broken padding. */
  malformed: number;
  /** SRTP packets that failed authentication or were replayed. */
  unauthentic: number;
  /** Valid packets that did not come from the peer. */
  strangers: number;
  /**
   * `unsent`: outgoing packets dropped because the kernel took no more. `overflowed`: incoming ones not read in time.
   */
  unsent: number;
  overflowed: number;
  /** Packets that never arrived, arrived twice, or arrived too late to be played. */
  lost: number;
  duplicate: number;
  late: number;
  /** `concealed`: frames concealed. `droppedForDepth`: packets dropped to reduce the delay. */
  concealed: number;
  droppedForDepth: number;
  /** Inter-arrival jitter (RFC 3550 section 6.4.1). */
  jitterMs: number;
  /** Audio in the jitter buffer and its target. */
  depthMs: number;
  targetMs: number;
  /** Round trip, and loss and jitter of our stream, from the peer's receiver reports; −1 before the first. */
  rttMs: number;
  remoteLostShare: number;
  remoteJitterMs: number;
}

export function newSipMediaCounters(): SipMediaCounters {
  return {
    packetsReceived: 0,
    packetsSent: 0,
    malformed: 0,
    unauthentic: 0,
    strangers: 0,
    unsent: 0,
    overflowed: 0,
    lost: 0,
    duplicate: 0,
    late: 0,
    concealed: 0,
    droppedForDepth: 0,
    jitterMs: 0,
    depthMs: 0,
    targetMs: 0,
    rttMs: -1,
    remoteLostShare: -1,
    remoteJitterMs: -1,
  };
}
