import { mediaLegFactory } from '../../../../src/connectors/contract/media-leg.ts';
import { PCM_MEDIA } from '../../../../src/connectors/contract/pcm-media.ts';
import { EngineWorker } from '../../../../src/engine/engine-worker.ts';
import { openPcmLeg } from '../../../../src/engine/pcm-leg.ts';
import { portableIo } from '../../../../src/rtp/paths/portable-sockets.ts';
import type { CallOutcome, CallPlacement } from '../../../../src/threads/protocol.ts';
import { openTestMedia, TEST_MEDIA } from './test-media-leg.ts';

const worker = new EngineWorker(
  [mediaLegFactory(TEST_MEDIA, openTestMedia), mediaLegFactory(PCM_MEDIA, openPcmLeg)],
  portableIo,
);

export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
