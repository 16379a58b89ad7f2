/** Round-trip time estimate, on which the other timers are based (RFC 3261 section 17.1.1.1 and table 4). */
export const T1_MS = 500;
/** Maximum retransmission interval of non-INVITE requests and of responses to INVITE. */
export const T2_MS = 4_000;
/** Time without an answer after which a transaction fails (timers B, F, H and others). */
export const TRANSACTION_TIMEOUT_MS = 64 * T1_MS;
/** Lifetime of an INVITE that is ringing; no call rings longer. */
export const MAX_RINGING_MS = 30 * 60_000;
