export type SipProtocol = 'udp' | 'tcp' | 'tls';

/** Where a request goes: an IP address, and the name that a TLS certificate must carry. */
export interface Destination {
  readonly protocol: SipProtocol;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
}

/** Where a message came from, and the way back to there. */
export interface Source {
  readonly protocol: SipProtocol;
  readonly host: string;
  readonly port: number;
  /** The connection it came over; null for UDP. */
  readonly connection: Connection | null;
}

/** One TCP or TLS connection. */
export interface Connection {
  readonly open: boolean;
  /** Our end, as the peer would address it. */
  readonly localHost: string;
  readonly localPort: number;
  send(text: string): Promise<void>;
  destroy(): void;
}

/** True: the message belongs to one of our trunks. */
export type ReceiveMessage = (bytes: Buffer, source: Source) => boolean;

/** Turns `::ffff:127.0.0.1` into `127.0.0.1`, so that one peer has one address. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
