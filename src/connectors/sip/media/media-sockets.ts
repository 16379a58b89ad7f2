import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';
import type { SipMediaOpen } from '../media-protocol.ts';

/** About a second of one call's packets, as the kernel counts them; a longer backlog would be too old to play. */
const RECEIVE_BUFFER_BYTES = 65_536;
/** Packets waiting for the kernel before we drop our own: more means that nothing leaves any more. */
const MAX_UNSENT_PACKETS = 8;

export type OnDatagram = (bytes: Uint8Array, from: RemoteInfo) => void;

/** The RTP and the RTCP socket of one leg. */
export class MediaSockets {
  readonly #rtp: Socket;
  readonly #rtcp: Socket;
  #closed = false;

  private constructor(rtp: Socket, rtcp: Socket) {
    this.#rtp = rtp;
    this.#rtcp = rtcp;
  }

  /** Binds both ports; rejects with the system's error (`EADDRINUSE`) and leaves neither open. */
  static async open(options: SipMediaOpen): Promise<MediaSockets> {
    const rtp = await bind(options.bindHost, options.rtpPort);
    try {
      return new MediaSockets(rtp, await bind(options.bindHost, options.rtpPort + 1));
    } catch (error) {
      rtp.close();
      throw error;
    }
  }

  /** Sets who gets what arrives. A throw in a handler goes to `onBug` and no further. */
  listen(onRtp: OnDatagram, onRtcp: OnDatagram, onBug: (error: unknown) => void): void {
    this.#rtp.on('message', guarded(onRtp, onBug));
    this.#rtcp.on('message', guarded(onRtcp, onBug));
  }

  /** Sends the first `length` bytes. False: the packet was dropped because the kernel takes no more. */
  sendRtp(bytes: Uint8Array, length: number, port: number, host: string): boolean {
    return !this.#closed && send(this.#rtp, bytes, length, port, host);
  }

  sendRtcp(bytes: Uint8Array, length: number, port: number, host: string): boolean {
    return !this.#closed && send(this.#rtcp, bytes, length, port, host);
  }

  /** Safe to call twice. */
  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#rtp.close();
    this.#rtcp.close();
  }
}

function send(socket: Socket, bytes: Uint8Array, length: number, port: number, host: string): boolean {
  if (socket.getSendQueueCount() >= MAX_UNSENT_PACKETS) return false;
  socket.send(bytes, 0, length, port, host);
  return true;
}

function guarded(handle: OnDatagram, onBug: (error: unknown) => void): OnDatagram {
  return (bytes, from) => {
    try {
      handle(bytes, from);
    } catch (error) {
      onBug(error);
    }
  };
}

async function bind(host: string, port: number): Promise<Socket> {
  const socket = createSocket({ type: isIPv6(host) ? 'udp6' : 'udp4', lookup: lookupAddress });
  try {
    // Without a resolver in between, `bind` tells its outcome before it returns.
    const listening = once(socket, 'listening');
    socket.bind(port, host);
    await listening;
  } catch (error) {
    socket.close();
    throw error;
  }
  socket.setRecvBufferSize(RECEIVE_BUFFER_BYTES);
  // An ICMP answer to a packet of ours says nothing that the media timeout does not say better.
  socket.on('error', () => {});
  return socket;
}

/** Hosts are addresses here: this keeps every `send` clear of the resolver and of a later turn of the loop. */
function lookupAddress(
  host: string,
  _options: unknown,
  done: (error: NodeJS.ErrnoException | null, address: string, family: number) => void,
): void {
  done(null, host, isIPv6(host) ? 6 : 4);
}
