/** Returns the counters of one RTP leg since it was opened. The engine always reads the same object. */
export function newRtpCounters() {
  return {
    packetsReceived: 0,
    packetsSent: 0,
    /** Packets that are not RTP, have a payload length or type that was not negotiated, or have broken padding. */
    malformed: 0,
    /** SRTP packets that failed authentication or were replayed. */
    unauthentic: 0,
    /** Valid packets that did not come from the peer. */
    strangers: 0,
    /** Outgoing packets dropped because the kernel took no more. */
    unsent: 0,
    /** Incoming packets not read in time. */
    overflowed: 0,
    /** Packets that never arrived, arrived twice, or arrived too late to be played. */
    lost: 0,
    duplicate: 0,
    late: 0,
    /** Frames concealed. */
    concealed: 0,
    /** Packets dropped to reduce the delay. */
    droppedForDepth: 0,
    /** Milliseconds by which audio was shortened to reduce the delay, and lengthened to raise it. */
    shortenedMs: 0,
    lengthenedMs: 0,
    /** Inter-arrival jitter (RFC 3550 section 6.4.1). */
    jitterMs: 0,
    /** Delay of the jitter buffer, smoothed; 0 without a stream. Audio in it now, and what it aims at. */
    delayMs: 0,
    depthMs: 0,
    targetMs: 0,
    /** Round trip, and loss and jitter of our stream, from the peer's receiver reports; −1 before the first. */
    rttMs: -1,
    remoteLostShare: -1,
    remoteJitterMs: -1,
  };
}

export type RtpCounters = ReturnType<typeof newRtpCounters>;
