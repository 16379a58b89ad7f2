import { parentPort } from 'node:worker_threads';
import { runJob } from '../../../src/jobs/jobs.ts';

/** As a bridge thread: it has jobs of its own, one of which never ends in the time of a test. */
await runJob('synthesize', { text: 'Hello.', voice: 'kal16' });
void runJob('synthesize', { text: '7'.repeat(200), voice: 'slt' });
parentPort?.postMessage('busy');
