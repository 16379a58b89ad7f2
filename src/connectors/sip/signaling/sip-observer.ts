/** Event counters, each exported as one line of `/metrics`. */
export type SipCounter =
  /** A message from an address of no trunk that belongs to none of our trunks. Dropped without an answer. */
  | 'scanner_dropped'
  /** A new call from a known address that no trunk's URI, connection or binding matches: 404. */
  | 'unmatched_call'
  /** A message from a stranger that names something of ours, beyond the rate limit. */
  | 'rate_limited'
  /** A connection from a stranger beyond the limit. */
  | 'connection_refused'
  /** A new call to a number that is not listed, or to one that is called too often: 404, 503. */
  | 'call_declined'
  | 'malformed_message'
  /** A request refused before it reached a dialog (420, 483, 405, 400). */
  | 'request_refused'
  /** A response that matches no request of ours. */
  | 'unmatched_response'
  | 'retransmission'
  /** A repeated request that was answered with the stored response. */
  | 'replayed_response'
  /** A table was full and dropped its oldest entry. */
  | 'table_overflow'
  | 'rtp_ports_exhausted'
  /** sip.js threw on a message that passed the guard. */
  | 'core_error'
  | 'transport_lost';

/** Receives the connector's metrics and logs. Implementations must not throw. */
export interface SipObserver {
  count(counter: SipCounter): void;
  log(level: 'info' | 'warn', text: string, detail: Readonly<Record<string, unknown>>): void;
}

export const silentObserver: SipObserver = { count: () => {}, log: () => {} };
