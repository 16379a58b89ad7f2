import type { TransportOutcome, TransportPlacement } from '../threads/bridge-protocol.ts';
import { BridgeWorker } from './bridge-worker.ts';

/** Composition root of a bridge thread: the platforms' transports it can open. */
const worker = new BridgeWorker([]);

/** Task of the pool. */
export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
