import { workerData } from 'node:worker_threads';
import { mediaIo, sipMediaOver } from '../connectors/sip/media/open-sip-media.ts';
import { SIP_MEDIA_KIND } from '../connectors/sip/media-protocol.ts';
import type { CallOutcome, CallPlacement, MediaIoChoice } from '../threads/protocol.ts';
import { EngineWorker } from './engine-worker.ts';

/** The composition root of an engine thread: which platforms' media halves it can open, and over what. */
const io = mediaIo(workerData as MediaIoChoice);
const openSipMedia = sipMediaOver(io, (library) => worker.stats.nameOpus(library));
const worker = new EngineWorker({ [SIP_MEDIA_KIND]: openSipMedia }, io);

/** The pool's task. */
export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
