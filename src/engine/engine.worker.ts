import { workerData } from 'node:worker_threads';
import { mediaLegFactory } from '../media/media-leg.ts';
import { PCM_MEDIA } from '../media/pcm-media.ts';
import { mediaIo, packetLegsWith, rtpLegsOver, voiceCodecsFor } from '../rtp/open-rtp-leg.ts';
import { PACKET_MEDIA, RTP_MEDIA } from '../rtp/rtp-protocol.ts';
import type { CallOutcome, CallPlacement, EngineThreadOptions } from '../threads/protocol.ts';
import { EngineWorker } from './engine-worker.ts';
import { openPcmLeg } from './pcm-leg.ts';

/** Composition root of an engine thread: the media legs it can open, and the I/O they use. */
const options = workerData as EngineThreadOptions;
const io = mediaIo(options.mediaIo);
const codecs = voiceCodecsFor(io.kind, (library) => worker.stats.nameOpus(library), options.maxJitterDelayMs);
const worker = new EngineWorker(
  [
    mediaLegFactory(RTP_MEDIA, rtpLegsOver(io, codecs)),
    mediaLegFactory(PACKET_MEDIA, packetLegsWith(codecs)),
    mediaLegFactory(PCM_MEDIA, openPcmLeg),
  ],
  io,
  codecs,
);

/** Task of the pool. */
export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
