import type { MediaIo } from '../../media/media-leg.ts';
import type { RtpOpen } from '../rtp-protocol.ts';

/** Source address of a datagram. Where possible it is the same object as long as the address does not change. */
export interface SourceAddress {
  readonly address: string;
  readonly port: number;
}

/** A received datagram: `bytes` from `start` to `end`. The object and its bytes are valid only during the call. */
export interface Datagram {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly from: SourceAddress;
  /** Arrival time on the clock of `performance.now()`. */
  readonly arrivalMs: number;
}

/** Receives the datagrams of a leg. */
export interface DatagramListener {
  onRtp(datagram: Datagram): void;
  onRtcp(datagram: Datagram): void;
  /** `onRtp` or `onRtcp` threw. */
  onBug(error: unknown): void;
}

/** Returns `handle` with its exceptions reported to the listener, so that they end only its call. */
export function guarded(
  handle: (datagram: Datagram) => void,
  listener: DatagramListener,
): (datagram: Datagram) => void {
  return (datagram) => {
    try {
      handle(datagram);
    } catch (error) {
      listener.onBug(error);
    }
  };
}

/** The RTP and RTCP sockets of one leg. */
export interface PacketPath {
  listen(listener: DatagramListener): void;
  /** Sends the first `length` bytes. The buffer may be reused at once. `host` is an IP address. */
  sendRtp(bytes: Uint8Array, length: number, port: number, host: string): void;
  sendRtcp(bytes: Uint8Array, length: number, port: number, host: string): void;
  /** Outgoing packets that were dropped because the kernel did not accept them. */
  readonly unsent: number;
  /** Packets that the kernel dropped because they were not read in time; zero where this is unknown. */
  readonly overflowed: number;
  /** Safe to call twice. */
  close(): void;
}

export type MediaPorts = Pick<RtpOpen, 'bindHost' | 'rtpPort' | 'bound'>;

/** Media I/O of a thread. */
export interface SocketIo extends MediaIo {
  /**
   * Binds both ports, unless they are already bound. Rejects with the system's error (`EADDRINUSE`), leaving neither
   * open.
   */
  open(ports: MediaPorts): Promise<PacketPath>;
}
