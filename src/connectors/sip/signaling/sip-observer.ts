/** Things that are counted; each is one line of `/metrics`. */
export type SipCounter =
  /** A message from an address that is no trunk's, and that belongs to none of ours: dropped without an answer. */
  | 'scanner_dropped'
  /** A new call from an address that we know, which no trunk's URI, connection or binding makes anybody's: 404. */
  | 'unmatched_call'
  /** A message from a stranger that names something of ours, beyond the rate that is looked at. */
  | 'rate_limited'
  /** A connection from a stranger beyond the number that is held open. */
  | 'connection_refused'
  | 'malformed_message'
  /** A request refused before it reached a dialog (420, 483, 405, 400). */
  | 'request_refused'
  /** A response that answers no request of ours. */
  | 'unmatched_response'
  | 'retransmission'
  /** A repeated request that was answered from memory. */
  | 'replayed_response'
  /** A table was full and let go of its oldest entry. */
  | 'table_overflow'
  | 'rtp_ports_exhausted'
  /** sip.js threw on a message that passed the guard. */
  | 'core_error'
  | 'transport_lost';

/** Where the connector tells what happens beside the calls. Implementations must not throw. */
export interface SipObserver {
  count(counter: SipCounter): void;
  log(level: 'info' | 'warn', text: string, detail: Readonly<Record<string, unknown>>): void;
}

export const silentObserver: SipObserver = { count: () => {}, log: () => {} };
