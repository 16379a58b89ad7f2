// Loaded into every thread of a soak's gateway: SIGUSR2 has each collect all its garbage, and the heap of malloc given
// back, as the gateway does by itself once a minute. What two threads share is free only when both have let go of it.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { isMainThread } from 'node:worker_threads';
import { loadMediaIo } from '../../src/native/media-io.ts';

/** One after the other: where they share a core, two that collect beside each other hold up calls for twice as long. */
const THREADS_COLLECTED_MS = 300;

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const threads = new BroadcastChannel('collect garbage');
threads.onmessage = () => collect();
threads.unref();

function collectMain() {
  collect();
  giveHeapBack();
}

function giveHeapBack() {
  const binding = loadMediaIo();
  // Without it malloc decides by itself.
  if (typeof binding !== 'string') binding.giveHeapBack();
}

if (isMainThread) {
  process.on('SIGUSR2', () => {
    threads.postMessage('now');
    setTimeout(collectMain, THREADS_COLLECTED_MS);
  });
}
