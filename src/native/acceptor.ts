import { loadAddon } from './addon.ts';

/** A listening socket. */
declare const LISTENER: unique symbol;
export interface Listener {
  readonly [LISTENER]: true;
}

/** Gets the descriptor of each connection, and its first bytes, at most 4 KB, if they begin with the prefix. */
export type Accepted = (descriptor: number, head: string | undefined) => void;

/** Interface of acceptor.c. */
export interface Accepting {
  readonly version: number;
  /** Listens on this thread's event loop. Returns a negative errno when it cannot. Port 0 picks a free one. */
  listen(host: string, port: number, prefix: string, accepted: Accepted): Listener | number;
  port(listener: Listener): number;
  /** Frees the port. At most once. */
  stop(listener: Listener): void;
  /** Closes a connection that no thread has taken. */
  closeDescriptor(descriptor: number): void;
  /** Closes this thread's sockets of uWebSockets.js when the thread ends, however it ends. Once, after it is loaded. */
  closeAtEnd(): void;
  /** Number of open connections to a port from the /24 of an IPv4 address, or the /48 of an IPv6 address. */
  connectionsFrom(port: number, address: string): number;
  /** Descriptors of TCP connections that have received at least so many bytes since this thread last asked. */
  loud(leastBytes: number): readonly number[];
  /** Bytes that a connection has received, and that were written to it; empty when it is closed. */
  traffic(descriptor: number): readonly [received: number, written: number] | readonly [];
}

/** Must equal INTERFACE_VERSION in acceptor.c. */
const VERSION = 3;

/** Returns the reason when it cannot be loaded. */
export function loadAccepting(): Accepting | string {
  return loadAddon('acceptor', VERSION);
}
