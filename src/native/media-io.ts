import { createRequire } from 'node:module';
import { join } from 'node:path';

/** What media-io.c offers a thread. Sockets are numbers; calls that can fail answer with an errno below zero. */
export interface MediaIoBinding {
  readonly version: number;
  /** Takes the buffers that `receive` fills and `send` empties; their records are described in udp-sockets.h. */
  use(received: ArrayBuffer, recordBytes: number, unsent: ArrayBuffer): void;
  /** Binds a UDP socket; `host` is an address. */
  open(host: string, port: number, receiveBufferBytes: number): number;
  /**
   * Binds a UDP socket that belongs to no thread yet; its descriptor is for one thread to `adopt` and then no more to
   * be used, or to be released.
   */
  reserve(host: string, port: number, receiveBufferBytes: number): number;
  /** Takes a reserved socket over as one of this thread's; gives what `open` gives. */
  adopt(descriptor: number, receiveBufferBytes: number): number;
  /** Forgets what has come for a reserved socket so far. */
  clear(descriptor: number): void;
  release(descriptor: number): void;
  close(socket: number): void;
  /** Sets where the socket sends. */
  aim(socket: number, host: string, port: number): number;
  /** Fills records with what waits on all sockets; returns how many. When all are full there may be more. */
  receive(): number;
  /** The text of the source address in a record. */
  source(record: number): string;
  /** Sends the records in the first `bytes` of the send buffer. */
  send(bytes: number): void;
  /** Packets of the socket that the kernel did not take, and such that came while its buffer was full. */
  unsent(socket: number): number;
  overflowed(socket: number): number;
  /** Sleeps for so long, or until the thread's event loop has something to do. */
  sleep(milliseconds: number): void;
  /** Has this thread woken when its timers are due, whatever else wants the processor; an errno below zero: it cannot. */
  beOnTime(): number;
  /** Gives the system back what the process has freed, all threads', beside the calling thread. */
  giveHeapBack(): void;
}

/** INTERFACE_VERSION of media-io.c. */
const VERSION = 4;
const BINARY = join(import.meta.dirname, '../../build/media-io.node');

/** Loads the binary that build.ts made; returns why not when that cannot be. */
export function loadMediaIo(): MediaIoBinding | string {
  try {
    const binding = createRequire(import.meta.url)(BINARY) as MediaIoBinding;
    return binding.version === VERSION ? binding : `it is of version ${binding.version}, not ${VERSION}`;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === 'MODULE_NOT_FOUND' ? 'it was not built' : message;
  }
}
