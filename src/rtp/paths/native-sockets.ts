import { getSystemErrorName } from 'node:util';
import type { MediaIoBinding } from '../../native/media-io.ts';
import { NO_DESCRIPTOR, RECEIVE_BUFFER_BYTES, takeDescriptor } from '../rtp-protocol.ts';
import {
  type Datagram,
  type DatagramListener,
  guarded,
  type MediaPorts,
  type PacketPath,
  type SocketIo,
} from './packet-path.ts';

/** A header and the longest datagram accepted, 1,500 bytes of Ethernet. */
const RECORD_BYTES = 1_536;
const RECORD_WORDS = RECORD_BYTES / Int32Array.BYTES_PER_ELEMENT;
const RECORD_HEADER_BYTES = 40;
const RECORD_SOURCE_WORD = 3;
const PORT_MASK = 0xffff;
const RECORDS = 256;
/** Rounds of `RECORDS` per call. The rest of a flood stays in the kernel's buffers, which are bounded. */
const MAX_ROUNDS = 16;
const SEND_HEADER_BYTES = 8;
/** Packets are sent in groups, so the first ones of a tick do not wait for the last ones. */
const SEND_BYTES = 8_192;
const MAX_SENT_BYTES = 1_500;

/**
 * Media I/O through media-io.c. Before a tick, one call receives all datagrams of the thread's sockets. The packets of
 * the tick are passed to the kernel in groups.
 */
export class NativeIo implements SocketIo {
  readonly kind = 'native';
  readonly #binding: MediaIoBinding;
  readonly #words: Int32Array;
  readonly #datagram: MutableDatagram;
  readonly #unsentWords: Int32Array;
  readonly #unsentBytes: Uint8Array;
  readonly #unsentEights: BigInt64Array;
  readonly #sockets: (NativeSocket | undefined)[] = [];
  #unsentEnd = 0;
  #queued: Uint8Array = new Uint8Array(0);
  #queuedEights: BigInt64Array = new BigInt64Array(0);

  constructor(binding: MediaIoBinding) {
    const received = new ArrayBuffer(RECORDS * RECORD_BYTES);
    const unsent = new ArrayBuffer(SEND_BYTES);
    binding.use(received, RECORD_BYTES, unsent);
    binding.beOnTime(true);
    this.#binding = binding;
    this.#words = new Int32Array(received);
    this.#datagram = { bytes: new Uint8Array(received), start: 0, end: 0, from: NO_SOURCE, arrivalMs: 0 };
    this.#unsentWords = new Int32Array(unsent);
    this.#unsentBytes = new Uint8Array(unsent);
    this.#unsentEights = new BigInt64Array(unsent);
  }

  async open({ bindHost, rtpPort, bound }: MediaPorts): Promise<PacketPath> {
    const rtp = this.#socket(takeDescriptor(bound, 'rtp'), bindHost, rtpPort);
    try {
      const rtcp = this.#socket(takeDescriptor(bound, 'rtcp'), bindHost, rtpPort + 1);
      return new NativeSockets(this, rtp, rtcp);
    } catch (error) {
      this.close(rtp);
      throw error;
    }
  }

  receive(): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const count = this.#binding.receive();
      const nowMs = performance.now();
      for (let record = 0; record < count; record++) this.#deliver(record, nowMs);
      if (count < RECORDS) return;
    }
  }

  send(): void {
    if (this.#unsentEnd === 0) return;
    this.#binding.send(this.#unsentEnd);
    this.#unsentEnd = 0;
  }

  precede(cpuMs: number): void {
    this.#binding.precede(cpuMs);
  }

  sleep(milliseconds: number): void {
    this.#binding.sleep(milliseconds);
  }

  /** Adds a packet to the current group. */
  queue(socket: NativeSocket, bytes: Uint8Array, length: number): void {
    if (this.#unsentEnd + SEND_HEADER_BYTES + MAX_SENT_BYTES > SEND_BYTES) this.send();
    const at = this.#unsentEnd;
    const from = at + SEND_HEADER_BYTES;
    const unsent = this.#unsentBytes;
    this.#unsentWords[at >> 2] = socket.index;
    this.#unsentWords[(at >> 2) + 1] = length;
    const eights = this.#eightsOf(bytes);
    const inEights = Math.min(length >> 3, eights.length);
    for (let i = 0; i < inEights; i++) this.#unsentEights[(from >> 3) + i] = eights[i]!;
    for (let i = inEights << 3; i < length; i++) unsent[from + i] = bytes[i]!;
    this.#unsentEnd = from + ((length + 7) & ~7);
  }

  aim(socket: NativeSocket, host: string, port: number): void {
    this.send();
    this.#binding.aim(socket.index, host, port);
  }

  unsent(socket: NativeSocket): number {
    return this.#binding.unsent(socket.index);
  }

  overflowed(socket: NativeSocket): number {
    return this.#binding.overflowed(socket.index);
  }

  /** Closes a socket after sending the queued packets. */
  close(socket: NativeSocket): void {
    this.send();
    this.#sockets[socket.index] = undefined;
    this.#binding.close(socket.index);
  }

  #socket(descriptor: number, host: string, port: number): NativeSocket {
    const isBound = descriptor !== NO_DESCRIPTOR;
    const io = this.#binding;
    const index = isBound
      ? io.adopt(descriptor, RECEIVE_BUFFER_BYTES)
      : io.open(host, port, RECEIVE_BUFFER_BYTES);
    if (index < 0) throw systemError('bind', index, host, port);
    const socket = new NativeSocket(index);
    this.#sockets[index] = socket;
    return socket;
  }

  /**
   * Returns `bytes` as 64-bit words, which take an eighth of the time to copy; empty when they are not aligned. The
   * view is cached because `bytes` rarely changes.
   */
  #eightsOf(bytes: Uint8Array): BigInt64Array {
    if (bytes !== this.#queued) {
      const isAligned = bytes.byteOffset % 8 === 0;
      this.#queuedEights = new BigInt64Array(
        bytes.buffer,
        isAligned ? bytes.byteOffset : 0,
        isAligned ? bytes.length >> 3 : 0,
      );
      this.#queued = bytes;
    }
    return this.#queuedEights;
  }

  #deliver(record: number, nowMs: number): void {
    const at = record * RECORD_WORDS;
    const words = this.#words;
    const socket = this.#sockets[words[at]!];
    // A call that ended during this round can leave packets behind.
    if (socket === undefined) return;
    const datagram = this.#datagram;
    datagram.start = record * RECORD_BYTES + RECORD_HEADER_BYTES;
    datagram.end = datagram.start + words[at + 1]!;
    datagram.arrivalMs = nowMs - words[at + 2]! / 1_000;
    const source = at + RECORD_SOURCE_WORD;
    if (!socket.isSource(words, source)) socket.noteSource(words, source, this.#binding.source(record));
    datagram.from = socket.source;
    socket.deliver(datagram);
  }
}

type MutableDatagram = { -readonly [Key in keyof Datagram]: Datagram[Key] };

const NO_SOURCE = { address: '', port: 0 };

/** One UDP socket with the source of its last packet and its current destination. */
class NativeSocket {
  readonly index: number;
  deliver: (datagram: Datagram) => void = () => {};
  source: Datagram['from'] = NO_SOURCE;
  /** Port, address and scope, as stored in a record. */
  readonly #sourceWords = new Int32Array(6);
  #targetHost = '';
  #targetPort = 0;

  constructor(index: number) {
    this.index = index;
  }

  isSource(words: Int32Array, at: number): boolean {
    const source = this.#sourceWords;
    for (let i = 0; i < source.length; i++) if (source[i] !== words[at + i]) return false;
    return true;
  }

  noteSource(words: Int32Array, at: number, address: string): void {
    const source = this.#sourceWords;
    for (let i = 0; i < source.length; i++) source[i] = words[at + i]!;
    this.source = { address, port: source[0]! & PORT_MASK };
  }

  /** Sets the destination. Returns true when it is unchanged. */
  aimsAt(host: string, port: number): boolean {
    if (port === this.#targetPort && host === this.#targetHost) return true;
    this.#targetHost = host;
    this.#targetPort = port;
    return false;
  }
}

class NativeSockets implements PacketPath {
  readonly #io: NativeIo;
  readonly #rtp: NativeSocket;
  readonly #rtcp: NativeSocket;
  #unsent = 0;
  #overflowed = 0;
  #closed = false;

  constructor(io: NativeIo, rtp: NativeSocket, rtcp: NativeSocket) {
    this.#io = io;
    this.#rtp = rtp;
    this.#rtcp = rtcp;
  }

  get unsent(): number {
    return this.#closed ? this.#unsent : this.#io.unsent(this.#rtp) + this.#io.unsent(this.#rtcp);
  }

  get overflowed(): number {
    return this.#closed ? this.#overflowed : this.#io.overflowed(this.#rtp) + this.#io.overflowed(this.#rtcp);
  }

  listen(listener: DatagramListener): void {
    this.#rtp.deliver = guarded((datagram) => listener.onRtp(datagram), listener);
    this.#rtcp.deliver = guarded((datagram) => listener.onRtcp(datagram), listener);
  }

  sendRtp(bytes: Uint8Array, length: number, port: number, host: string): void {
    if (this.#aims(this.#rtp, port, host)) this.#io.queue(this.#rtp, bytes, length);
  }

  sendRtcp(bytes: Uint8Array, length: number, port: number, host: string): void {
    if (this.#aims(this.#rtcp, port, host)) this.#io.queue(this.#rtcp, bytes, length);
  }

  close(): void {
    if (this.#closed) return;
    this.#io.send();
    [this.#unsent, this.#overflowed] = [this.unsent, this.overflowed];
    this.#closed = true;
    this.#io.close(this.#rtp);
    this.#io.close(this.#rtcp);
  }

  /** Sets the socket's destination. Returns false when the sockets are closed. */
  #aims(socket: NativeSocket, port: number, host: string): boolean {
    if (this.#closed) return false;
    if (!socket.aimsAt(host, port)) this.#io.aim(socket, host, port);
    return true;
  }
}

/** Creates an error like those of `dgram`. */
function systemError(syscall: string, errno: number, address: string, port: number): Error {
  const code = getSystemErrorName(errno);
  const error = new Error(`${syscall} ${code} ${address}:${port}`);
  return Object.assign(error, { errno, code, syscall, address, port });
}
