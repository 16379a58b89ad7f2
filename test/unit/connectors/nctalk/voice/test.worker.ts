import { BridgeWorker } from '../../../../../src/bridge/bridge-worker.ts';
import { TALK_TRANSPORT } from '../../../../../src/connectors/nctalk/voice/talk-protocol.ts';
import { openTalkTransport } from '../../../../../src/connectors/nctalk/voice/talk-transport.ts';
import { transportFactory } from '../../../../../src/media/transport.ts';
import type { TransportOutcome, TransportPlacement } from '../../../../../src/threads/bridge-protocol.ts';
import { openTestTransport, REJOINING } from '../../../bridge/test-transport.ts';

/** A bridge thread that ends when it is told to. */
const worker = new BridgeWorker([
  transportFactory(TALK_TRANSPORT, openTalkTransport),
  transportFactory(REJOINING, openTestTransport),
]);

export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
