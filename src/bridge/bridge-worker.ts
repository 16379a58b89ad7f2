import { MessageChannel, type MessagePort, parentPort, threadId, workerData } from 'node:worker_threads';
import { assert } from '../base/assert.ts';
import { FairShare } from '../base/fair-share.ts';
import { systemClock } from '../base/time.ts';
import type { TransportFactory } from '../media/transport.ts';
import { loadMediaIo } from '../native/media-io.ts';
import type {
  BridgeReady,
  BridgeStart,
  TransportOutcome,
  TransportPlacement,
} from '../threads/bridge-protocol.ts';
import { toWireError } from '../threads/protocol.ts';
import { HeldTransport } from './held-transport.ts';

/** The supervisor stops a thread whose heartbeat stands still for 2 s. */
const BEAT_MS = 100;

/** Opening takes about 20 ms of the thread, and most of a second of waiting: a hundred are open within 10 s. */
const TURNS = 8;
/** As many as a thread has transports. */
const MOST_WAITING = 100;

/** One bridge thread and the transports placed on it. An uncaught exception ends the thread. */
export class BridgeWorker {
  readonly #factories: readonly TransportFactory[];
  readonly #turns = new FairShare({
    clock: systemClock,
    total: TURNS,
    each: TURNS,
    mostWaiting: MOST_WAITING,
  });
  /** Held, so that it is closed by the end of the thread and not by the garbage collector. */
  readonly lifeline: MessagePort;

  constructor(factories: readonly TransportFactory[]) {
    assert(parentPort !== null, 'a bridge worker runs in a thread of its own');
    beOnTime();
    this.#factories = factories;
    const heartbeat = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT);
    const beats = new Int32Array(heartbeat);
    setInterval(() => Atomics.add(beats, 0, 1), BEAT_MS);
    const { port1, port2 } = new MessageChannel();
    port1.unref();
    this.lifeline = port1;
    const ready: BridgeReady = { threadId, heartbeat, lifeline: port2 };
    // Sent only after this module's evaluation, as by the engine worker.
    const toPool = parentPort;
    setImmediate(() => toPool.postMessage(ready, [port2]));
  }

  /** Task of the pool: runs the transport until it ends. A rejection means that this thread is lost. */
  hold(placement: TransportPlacement): Promise<TransportOutcome> {
    const held = new HeldTransport(placement, this.#turns);
    void this.#open(placement, held);
    return held.outcome;
  }

  /** Ends in `held`, which may be over before. A transport that opens too late is closed. */
  async #open(placement: TransportPlacement, held: HeldTransport): Promise<void> {
    const factory = this.#factories.find(({ kind }) => kind === placement.kind);
    try {
      assert(factory !== undefined, `no transport of kind ${placement.kind}`);
      held.begin(await factory.open(placement.open, placement.memory, held));
    } catch (error) {
      held.end({ type: 'open_failed', error: toWireError(error) });
    }
  }
}

/** Otherwise audio for the platform would wait for the time slice of a busy thread, 3 ms, where cores are few. */
function beOnTime(): void {
  if ((workerData as BridgeStart).mediaIo === 'portable') return;
  const native = loadMediaIo();
  if (typeof native !== 'string') native.beOnTime(false);
}
