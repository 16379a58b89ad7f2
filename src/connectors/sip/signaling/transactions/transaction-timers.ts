/** RFC 3261 section 17.1.1.1 and table 4: estimate of the round trip, and the timers that follow from it. */
export const T1_MS = 500;
/** Longest interval between retransmissions of a request other than INVITE, and of responses to INVITE. */
export const T2_MS = 4_000;
/** After this long without an answer a transaction has failed (timers B, F, H and the rest). */
export const TRANSACTION_TIMEOUT_MS = 64 * T1_MS;
