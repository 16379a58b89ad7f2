import { parentPort, workerData } from 'node:worker_threads';
import { assert } from '../../base/assert.ts';
import { StreamWorker } from './stream-worker.ts';
import type { StreamThreadOptions } from './thread-protocol.ts';

/** Composition root of a stream thread. */
assert(parentPort !== null, 'a stream worker runs in a thread of its own');
new StreamWorker(workerData as StreamThreadOptions, parentPort).start();
