import { workerData } from 'node:worker_threads';
import { mediaIo, sipMediaOver } from '../connectors/sip/media/open-sip-media.ts';
import { SIP_MEDIA_KIND } from '../connectors/sip/media-protocol.ts';
import type { CallOutcome, CallPlacement, MediaIoChoice } from '../threads/protocol.ts';
import { EngineWorker } from './engine-worker.ts';

/** Composition root of an engine thread: the platforms' media legs it can open, and the I/O they use. */
const io = mediaIo(workerData as MediaIoChoice);
const openSipMedia = sipMediaOver(io, (library) => worker.stats.nameOpus(library));
const worker = new EngineWorker({ [SIP_MEDIA_KIND]: openSipMedia }, io);

/** Task of the pool. */
export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
