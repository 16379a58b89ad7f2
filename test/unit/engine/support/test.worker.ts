import { EngineWorker } from '../../../../src/engine/engine-worker.ts';
import { portableIo } from '../../../../src/rtp/paths/portable-sockets.ts';
import type { CallOutcome, CallPlacement } from '../../../../src/threads/protocol.ts';
import { openTestMedia } from './test-media-leg.ts';

const worker = new EngineWorker({ test: openTestMedia }, portableIo);

export function holdCall(placement: CallPlacement): Promise<CallOutcome> {
  return worker.run(placement);
}
