import type { MediaIo } from '../../../contract/media-leg.ts';
import type { SipMediaOpen } from '../../media-protocol.ts';

/** A source, as the socket saw it; the same object as long as it does not change, where that is known. */
export interface SourceAddress {
  readonly address: string;
  readonly port: number;
}

/** What arrived: `bytes` from `start` to `end`. It and its bytes are valid during the call only. */
export interface Datagram {
  readonly bytes: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly from: SourceAddress;
  /** When it came, on the clock of `performance.now()`. */
  readonly arrivalMs: number;
}

/** Who gets what arrives. */
export interface DatagramListener {
  onRtp(datagram: Datagram): void;
  onRtcp(datagram: Datagram): void;
  /** One of the others threw. */
  onBug(error: unknown): void;
}

/** The RTP and the RTCP socket of one leg. */
export interface MediaSockets {
  listen(listener: DatagramListener): void;
  /** Sends the first `length` bytes, which may be used again at once. Hosts are addresses. */
  sendRtp(bytes: Uint8Array, length: number, port: number, host: string): void;
  sendRtcp(bytes: Uint8Array, length: number, port: number, host: string): void;
  /** Packets of ours that the kernel did not take. */
  readonly unsent: number;
  /** Packets that the kernel dropped because nobody took them up in time; zero where that is not told. */
  readonly overflowed: number;
  /** Safe to call twice. */
  close(): void;
}

export type MediaPorts = Pick<SipMediaOpen, 'bindHost' | 'rtpPort' | 'bound'>;

/** How a thread does its media I/O. */
export interface SocketIo extends MediaIo {
  /** Binds both ports, unless they come bound; rejects with the system's error (`EADDRINUSE`) and leaves neither open. */
  open(ports: MediaPorts): Promise<MediaSockets>;
}
