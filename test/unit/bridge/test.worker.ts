import { BridgeWorker } from '../../../src/bridge/bridge-worker.ts';
import { transportFactory } from '../../../src/media/transport.ts';
import type { TransportOutcome, TransportPlacement } from '../../../src/threads/bridge-protocol.ts';
import { MEETING, openMeeting } from './test-meeting.ts';
import { openPacketMeeting, PACKET_MEETING } from './test-packet-meeting.ts';
import { openTestTransport, RESUMING } from './test-transport.ts';

const worker = new BridgeWorker([
  transportFactory(RESUMING, openTestTransport),
  transportFactory(MEETING, openMeeting),
  transportFactory(PACKET_MEETING, openPacketMeeting),
]);

export function holdTransport(placement: TransportPlacement): Promise<TransportOutcome> {
  return worker.hold(placement);
}
