import { loadAddon } from './addon.ts';

/** Interface of media-io.c, one per thread. Sockets are numbers. Calls that can fail return a negative errno. */
export interface MediaIoBinding {
  readonly version: number;
  /** Sets the buffers that `receive` fills and `send` empties. udp-sockets.h describes their records. */
  use(received: ArrayBuffer, recordBytes: number, unsent: ArrayBuffer): void;
  /** Binds a UDP socket. `host` is an IP address. */
  open(host: string, port: number, receiveBufferBytes: number): number;
  /**
   * Binds a UDP socket that belongs to no thread yet and returns its descriptor. One thread must `adopt` the
   * descriptor, after which it must not be used, or it must be released.
   */
  reserve(host: string, port: number, receiveBufferBytes: number): number;
  /** Takes over a reserved socket for this thread. Returns the same as `open`. */
  adopt(descriptor: number, receiveBufferBytes: number): number;
  /** Discards all datagrams that a reserved socket has received so far. */
  clear(descriptor: number): void;
  release(descriptor: number): void;
  close(socket: number): void;
  /** Sets the socket's destination. */
  aim(socket: number, host: string, port: number): number;
  /** Receives from all sockets into records and returns their number. When all records are full, there may be more. */
  receive(): number;
  /** Source address of a record as text. */
  source(record: number): string;
  /** Sends the records in the first `bytes` of the send buffer. */
  send(bytes: number): void;
  /** Packets of the socket that the kernel did not accept. */
  unsent(socket: number): number;
  /** Packets that arrived while the socket's receive buffer was full. */
  overflowed(socket: number): number;
  /** Sleeps for this long, or until the thread's event loop has work. */
  sleep(milliseconds: number): void;
  /**
   * Makes the system wake this thread when its timers are due, regardless of other load. `outweighsMain`: with the
   * privilege it also gets a larger share of a core than the main thread. Returns a negative errno on failure.
   */
  beOnTime(outweighsMain: boolean): number;
  /**
   * This thread runs before all ordinary threads of the system until it has used `cpuMs` of CPU time without a rest in
   * `sleep`. Returns a negative errno without the privilege.
   */
  precede(cpuMs: number): number;
  /** Returns memory freed by any thread of the process to the system. Does not block the calling thread. */
  giveHeapBack(): void;
  /**
   * Has V8 collect this thread's garbage incrementally and return empty pages to the system. V8's usual collections
   * keep them.
   */
  reduceObjectHeap(): void;
}

/** Must equal INTERFACE_VERSION in media-io.c. */
const VERSION = 7;

/** Returns the reason when it cannot be loaded. */
export function loadMediaIo(): MediaIoBinding | string {
  return loadAddon('media-io', VERSION);
}
