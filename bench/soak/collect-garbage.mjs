// Loaded into every thread of a soak's gateway: SIGUSR2 has each collect all its garbage. What two threads share is free
// only when both have let go of it.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const threads = new BroadcastChannel('collect garbage');
threads.onmessage = () => collect();
threads.unref();
if (isMainThread) {
  process.on('SIGUSR2', () => {
    threads.postMessage('now');
    collect();
  });
}
