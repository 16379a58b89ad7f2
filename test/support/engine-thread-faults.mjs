// Preloaded into a gateway (NODE_OPTIONS=--import=…) and thereby into each of its threads: does to one of the engine's
// threads, from outside, what a bug would do. SIGUSR2 ends it, SIGHUP makes it stand still for good. The engine's
// threads are those that piscina starts.
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

const stalls = new BroadcastChannel('engine-thread-faults');
stalls.unref();

if (workerThreads.isMainThread) {
  const { Worker } = workerThreads;
  const engineThreads = new Set();
  workerThreads.Worker = class extends Worker {
    constructor(filename, options) {
      super(filename, options);
      if (!`${filename}`.includes('piscina')) return;
      engineThreads.add(this);
      this.once('exit', () => engineThreads.delete(this));
    }
  };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => void [...engineThreads][0]?.terminate());
  process.on('SIGHUP', () => stalls.postMessage([...engineThreads][0]?.threadId));
} else {
  stalls.onmessage = ({ data }) => {
    if (data === workerThreads.threadId) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
