import { newJitterCounters } from '../audio/jitter-counters.ts';
import { newMediaCounters } from '../media/media-leg.ts';

/** Returns the counters of one RTP leg since it was opened. The engine always reads the same object. */
export function newRtpCounters() {
  return {
    ...newMediaCounters(),
    ...newJitterCounters(),
    /** Packets that are not RTP, have a payload length or type that was not negotiated, or have broken padding. */
    malformed: 0,
    /** SRTP packets that failed authentication or were replayed. */
    unauthentic: 0,
    /** Valid packets that did not come from the peer. */
    strangers: 0,
    /** Inter-arrival jitter (RFC 3550 section 6.4.1). */
    jitterMs: 0,
    /** Audio in the jitter buffer now, and what it aims at. */
    depthMs: 0,
    targetMs: 0,
    /** Round trip, and loss and jitter of our stream, from the peer's receiver reports; −1 before the first. */
    rttMs: -1,
    remoteLostShare: -1,
    remoteJitterMs: -1,
  };
}

export type RtpCounters = ReturnType<typeof newRtpCounters>;
