import { systemClock } from '../base/time.ts';
import { transportFactory } from '../connectors/contract/transport.ts';
import { speechParts } from '../speech/transport/speech-parts.ts';
import { SPEECH_TRANSPORT } from '../speech/transport/speech-protocol.ts';
import { speechWith } from '../speech/transport/speech-transport.ts';
import type { TransportOutcome, TransportPlacement } from '../threads/bridge-protocol.ts';
import { BridgeWorker } from './bridge-worker.ts';

/** Composition root of a bridge thread: the transports it can open, those of platforms and the speech of calls. */
const worker = new BridgeWorker([transportFactory(SPEECH_TRANSPORT, speechWith(speechParts(systemClock)))]);

/** Task of the pool. */
export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
