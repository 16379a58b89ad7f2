import type { MessagePort } from 'node:worker_threads';
import type { MediaIoChoice, RequestReply, WireError } from './protocol.ts';

/** Everything sent between the main thread and a bridge worker, except audio. Each transport has a port of its own. */

/** Placement of a transport on a bridge worker: the argument of its long-lived task. */
export interface TransportPlacement {
  readonly kind: string;
  readonly open: unknown;
  readonly memory: SharedArrayBuffer;
  /** See SignalCredit. */
  readonly credit: SharedArrayBuffer;
  readonly port: MessagePort;
}

/** Outcome of a transport's task. A task that rejects has lost its worker. */
export type TransportOutcome =
  | { readonly type: 'closed' }
  | { readonly type: 'open_failed'; readonly error: WireError }
  | { readonly type: 'failed'; readonly error: WireError };

/** Main → worker. */
export type TransportRequest =
  | {
      readonly type: 'command';
      readonly requestId: number;
      readonly name: string;
      readonly args: readonly unknown[];
    }
  | { readonly type: 'close' };

/** Worker → main. */
export type TransportMessage =
  | { readonly type: 'opened' }
  | { readonly type: 'signal'; readonly signal: unknown }
  | RequestReply;

/** A bridge worker's first message, sent over the pool's channel. */
/** What a bridge thread starts with. */
export interface BridgeStart {
  /** As of the engine. */
  readonly mediaIo: MediaIoChoice;
  /** Whether voices are told from other sounds by the neural network, too. */
  readonly neuralVoice: boolean;
}

export interface BridgeReady {
  readonly threadId: number;
  readonly heartbeat: SharedArrayBuffer;
  /** Carries nothing. It closes when the thread ends, however it ends. */
  readonly lifeline: MessagePort;
}

const SENT = 0;
const HANDLED = 1;
const DROPPED = 2;

/** Counts the signals of one transport, in shared memory: the worker sends, the main thread handles. */
export class SignalCredit {
  readonly memory: SharedArrayBuffer;
  readonly #words: Int32Array;

  constructor(memory = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#words = new Int32Array(memory);
  }

  /** Signals dropped by the worker, modulo 2^32. */
  get dropped(): number {
    return Atomics.load(this.#words, DROPPED) >>> 0;
  }

  /** Worker: takes the right to send one signal. Returns false, and counts a drop, when `limit` are unhandled. */
  take(limit: number): boolean {
    const pending = (Atomics.load(this.#words, SENT) - Atomics.load(this.#words, HANDLED)) | 0;
    const mayTake = pending < limit;
    Atomics.add(this.#words, mayTake ? SENT : DROPPED, 1);
    return mayTake;
  }

  /** Main: one signal has been handled. */
  give(): void {
    Atomics.add(this.#words, HANDLED, 1);
  }

  /** Main: the worker is lost, and with it the signals on their way. */
  reset(): void {
    Atomics.store(this.#words, HANDLED, Atomics.load(this.#words, SENT));
  }
}
