// Preloaded into a gateway (NODE_OPTIONS=--import=…) and thereby into each of its threads: does to one of its threads,
// from outside, what a bug would do. SIGUSR2 ends an engine thread, SIGHUP makes it stand still for good; SIGWINCH ends
// a bridge thread. Piscina starts both kinds; only bridge threads have a limit of memory. SIGIO ends a stream thread,
// SIGPWR makes it stand still.
import { syncBuiltinESMExports } from 'node:module';
import workerThreads from 'node:worker_threads';

const stalls = new BroadcastChannel('thread-faults');
stalls.unref();

if (workerThreads.isMainThread) {
  const { Worker } = workerThreads;
  const engineThreads = new Set();
  const bridgeThreads = new Set();
  const streamThreads = new Set();
  workerThreads.Worker = class extends Worker {
    constructor(filename, options) {
      super(filename, options);
      const threads = threadsLike(filename, options);
      if (threads === null) return;
      threads.add(this);
      this.once('exit', () => threads.delete(this));
    }
  };
  const threadsLike = (filename, { name, resourceLimits } = {}) => {
    if (name === 'streams') return streamThreads;
    if (!`${filename}`.includes('piscina')) return null;
    return resourceLimits?.maxOldGenerationSizeMb ? bridgeThreads : engineThreads;
  };
  syncBuiltinESMExports();
  process.on('SIGUSR2', () => void [...engineThreads][0]?.terminate());
  process.on('SIGHUP', () => stalls.postMessage([...engineThreads][0]?.threadId));
  process.on('SIGIO', () => void [...streamThreads][0]?.terminate());
  process.on('SIGPWR', () => stalls.postMessage([...streamThreads][0]?.threadId));
  process.on('SIGWINCH', () => void [...bridgeThreads][0]?.terminate());
} else {
  stalls.onmessage = ({ data }) => {
    if (data === workerThreads.threadId) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  };
}
