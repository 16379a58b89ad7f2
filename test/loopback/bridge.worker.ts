import { BridgeWorker } from '../../src/bridge/bridge-worker.ts';
import { transportFactory } from '../../src/media/transport.ts';
import type { TransportOutcome, TransportPlacement } from '../../src/threads/bridge-protocol.ts';
import { LOOPBACK_TRANSPORT } from './media/loopback-protocol.ts';
import { openLoopbackTransport } from './media/loopback-transport.ts';

/** Composition root of a bridge thread: the product's transports and the loopback platform's. */
const worker = new BridgeWorker([transportFactory(LOOPBACK_TRANSPORT, openLoopbackTransport)]);

/** Task of the pool. */
export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
