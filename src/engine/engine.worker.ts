import { workerData } from 'node:worker_threads';
import { mediaIo, rtpLegsOver } from '../rtp/open-rtp-leg.ts';
import { RTP_MEDIA_KIND } from '../rtp/rtp-protocol.ts';
import type { CallOutcome, CallPlacement, MediaIoChoice } from '../threads/protocol.ts';
import { EngineWorker } from './engine-worker.ts';

/** Composition root of an engine thread: the platforms' media legs it can open, and the I/O they use. */
const io = mediaIo(workerData as MediaIoChoice);
const openRtpLeg = rtpLegsOver(io, (library) => worker.stats.nameOpus(library));
const worker = new EngineWorker({ [RTP_MEDIA_KIND]: openRtpLeg }, io);

/** Task of the pool. */
export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
