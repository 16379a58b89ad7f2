import type { CancelTimer, Clock } from '../../../../base/time.ts';
import type { MediaIoBinding } from '../../../../native/media-io.ts';
import {
  NO_DESCRIPTOR,
  offerDescriptors,
  RECEIVE_BUFFER_BYTES,
  takeDescriptor,
} from '../../../../rtp/rtp-protocol.ts';
import type { RtpPorts } from './rtp-ports.ts';

/** Number of pairs kept bound. Pairs beyond these are bound by the worker, which delays the answer. */
const POOLED_PAIRS = 8;
/** Delay from taking the first pair to refilling the pool, so that the answer is sent first. */
const REFILL_MS = 10;
/** Delay of the first fill, to keep it out of the startup. */
const FIRST_FILL_MS = 300;

/** A leg's RTP and RTCP ports. `bound` is for the worker, see RtpOpen. */
export interface RtpPair {
  readonly port: number;
  readonly bound: SharedArrayBuffer | null;
}

/** Binds sockets that do not belong to a thread yet. */
export type PortReserver = Pick<MediaIoBinding, 'reserve' | 'clear' | 'release'>;

/**
 * Allocates pairs of RTP ports and keeps a few of them bound. A call can then be answered before a worker knows of it:
 * packets that arrive meanwhile wait in the sockets.
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

  /** `reserving` is called once, when the pool is first filled. Null means that ports cannot be bound in advance. */
  constructor(ports: RtpPorts, bindHost: string, clock: Clock, reserving: () => PortReserver | null) {
    this.#ports = ports;
    this.#bindHost = bindHost;
    this.#clock = clock;
    this.#reserving = reserving;
  }

  /** Schedules the first fill of the pool. */
  start(): void {
    this.#cancelFill = this.#clock.after(FIRST_FILL_MS, () => {
      this.#io = this.#reserving();
      this.#fill();
    });
  }

  /**
   * Takes a bound pair and discards packets that it has already received from strangers. Null when no pair is bound.
   */
  takeBound(): RtpPair | null {
    const pair = this.#pool.shift();
    if (pair === undefined) return null;
    for (const descriptor of pair.descriptors) this.#io?.clear(descriptor);
    this.#cancelFill ??= this.#clock.after(REFILL_MS, () => this.#fill());
    return pair;
  }

  /** Takes a pair, bound or not; null when all ports are taken. */
  take(): RtpPair | null {
    const port = this.#ports.take();
    return port === null ? this.takeBound() : { port, bound: null };
  }

  /** Releases a pair, whether its leg was opened or not. */
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
    // Ports in use by others are skipped. The limit on tries ends the loop when a whole range is in use.
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
