/** What one SIP leg has counted since it was opened; the same object all along, read by the engine. */
export interface SipMediaCounters {
  packetsReceived: number;
  packetsSent: number;
  /** Not RTP, a payload of a length or type that was not agreed, or broken padding. */
  malformed: number;
  /** SRTP that did not verify, or was replayed. */
  unauthentic: number;
  /** Valid, but not from the peer. */
  strangers: number;
  /** Own packets dropped because the kernel took no more; the peer's, because we did not take them up in time. */
  unsent: number;
  overflowed: number;
  /** Packets that never came, and such that came twice or too late to be played. */
  lost: number;
  duplicate: number;
  late: number;
  /** Frames made up, and packets left out to bring the delay down. */
  concealed: number;
  droppedForDepth: number;
  /** Inter-arrival jitter (RFC 3550 section 6.4.1). */
  jitterMs: number;
  /** Audio held by the jitter buffer, and how much it means to hold. */
  depthMs: number;
  targetMs: number;
  /** Round trip and the peer's view of our stream, from its receiver reports; −1 before the first. */
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
