import { EngineWorker } from '../../../../src/engine/engine-worker.ts';
import { openPcmLeg } from '../../../../src/engine/pcm-leg.ts';
import { mediaLegFactory } from '../../../../src/media/media-leg.ts';
import { PCM_MEDIA } from '../../../../src/media/pcm-media.ts';
import { packetLegsWith, voiceCodecsFor } from '../../../../src/rtp/open-rtp-leg.ts';
import { portableIo } from '../../../../src/rtp/paths/portable-sockets.ts';
import { PACKET_MEDIA } from '../../../../src/rtp/rtp-protocol.ts';
import type { CallOutcome, CallPlacement } from '../../../../src/threads/protocol.ts';
import { openTestMedia, TEST_MEDIA } from './test-media-leg.ts';

const codecs = voiceCodecsFor(portableIo.kind);
const worker = new EngineWorker(
  [
    mediaLegFactory(TEST_MEDIA, openTestMedia),
    mediaLegFactory(PACKET_MEDIA, packetLegsWith(codecs)),
    mediaLegFactory(PCM_MEDIA, openPcmLeg),
  ],
  portableIo,
  codecs,
);

export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
