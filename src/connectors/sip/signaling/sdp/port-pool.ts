import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { MediaIoBinding } from '../../../../native/media-io.ts';
import {
  NO_DESCRIPTOR,
  offerDescriptors,
  RECEIVE_BUFFER_BYTES,
  takeDescriptor,
} from '../../media-protocol.ts';
import type { RtpPorts } from './rtp-ports.ts';

/** Pairs kept bound: what a burst takes beyond is bound by the worker, for which the caller then waits. */
const POOLED_PAIRS = 8;
/** From the first pair taken until the pool is filled again: an answer is on its way meanwhile. */
const REFILL_MS = 10;
/** A start has better things to do. */
const FIRST_FILL_MS = 300;

/** A leg's two ports. `bound` is for the worker, see SipMediaOpen. */
export interface RtpPair {
  readonly port: number;
  readonly bound: SharedArrayBuffer | null;
}

/** Binds sockets that belong to no thread yet. */
export type PortReserver = Pick<MediaIoBinding, 'reserve' | 'clear' | 'release'>;

/**
 * Hands out pairs of RTP ports, and keeps a few of them bound, so that a call can be answered before a worker knows of
 * it: what the peer sends meanwhile waits in the sockets.
 */
export class PortPool {
  readonly #ports: RtpPorts;
  readonly #bindHost: string;
  readonly #clock: Clock;
  readonly #reserving: () => PortReserver | null;
  readonly #pool: (RtpPair & {
    readonly bound: SharedArrayBuffer;
    readonly descriptors: readonly number[];
  })[] = [];
  #io: PortReserver | null = null;
  #cancelFill: CancelTimer | null = null;
  #closed = false;

  /** `reserving` is asked once, when the pool is filled first; null: nothing can be bound beforehand. */
  constructor(ports: RtpPorts, bindHost: string, clock: Clock, reserving: () => PortReserver | null) {
    this.#ports = ports;
    this.#bindHost = bindHost;
    this.#clock = clock;
    this.#reserving = reserving;
  }

  /** Fills the pool in a while. */
  start(): void {
    this.#cancelFill = this.#clock.after(FIRST_FILL_MS, () => {
      this.#io = this.#reserving();
      this.#fill();
    });
  }

  /** A pair that is bound; null: none is. What strangers have sent there before is forgotten. */
  takeBound(): RtpPair | null {
    const pair = this.#pool.shift();
    if (pair === undefined) return null;
    for (const descriptor of pair.descriptors) this.#io?.clear(descriptor);
    this.#cancelFill ??= this.#clock.after(REFILL_MS, () => this.#fill());
    return pair;
  }

  /** A pair that may or may not be bound; null when all ports are taken. */
  take(): RtpPair | null {
    const port = this.#ports.take();
    return port === null ? this.takeBound() : { port, bound: null };
  }

  /** Gives a pair back, whether its leg was opened or not. */
  release({ port, bound }: RtpPair): void {
    for (const which of ['rtp', 'rtcp'] as const) {
      const descriptor = takeDescriptor(bound, which);
      if (descriptor !== NO_DESCRIPTOR) this.#io?.release(descriptor);
    }
    this.#ports.release(port);
  }

  close(): void {
    this.#closed = true;
    this.#cancelFill?.();
    for (const pair of this.#pool.splice(0)) this.release(pair);
  }

  #fill(): void {
    this.#cancelFill = null;
    const io = this.#io;
    if (io === null || this.#closed) return;
    // Ports that others hold are passed over; with a whole range of them there would be no end.
    for (let tries = 0; tries < 2 * POOLED_PAIRS && this.#pool.length < POOLED_PAIRS; tries += 1) {
      const port = this.#ports.take();
      if (port === null) return;
      if (!this.#bind(io, port)) this.#ports.release(port);
    }
  }

  #bind(io: PortReserver, port: number): boolean {
    const rtp = io.reserve(this.#bindHost, port, RECEIVE_BUFFER_BYTES);
    if (rtp < 0) return false;
    const rtcp = io.reserve(this.#bindHost, port + 1, RECEIVE_BUFFER_BYTES);
    if (rtcp < 0) io.release(rtp);
    else this.#pool.push({ port, bound: offerDescriptors(rtp, rtcp), descriptors: [rtp, rtcp] });
    return rtcp >= 0;
  }
}
