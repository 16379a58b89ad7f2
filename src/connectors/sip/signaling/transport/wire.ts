export type SipProtocol = 'udp' | 'tcp' | 'tls';

/** Destination of a request: an IP address, and the name that a TLS certificate must carry. */
export interface Destination {
  readonly protocol: SipProtocol;
  readonly host: string;
  readonly port: number;
  readonly serverName: string;
}

/** Source of a message, and the way back to it. */
export interface Source {
  readonly protocol: SipProtocol;
  readonly host: string;
  readonly port: number;
  /** The connection the message arrived on; null for UDP. */
  readonly connection: Connection | null;
}

/** One TCP or TLS connection. */
export interface Connection {
  readonly open: boolean;
  readonly localPort: number;
  send(text: string): Promise<void>;
  destroy(): void;
}

/** Returns true when the message belongs to one of our trunks. */
export type ReceiveMessage = (bytes: Buffer, source: Source) => boolean;

/** Converts `::ffff:127.0.0.1` to `127.0.0.1`, so that each peer has a single address. */
export function plainAddress(address: string): string {
  return address.startsWith('::ffff:') ? address.slice(7) : address;
}
