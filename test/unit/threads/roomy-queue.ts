import { PlayoutMemory, type QueueMemory } from '../../../src/threads/playout-memory.ts';

/** Memory of a queue in a process that has plenty. */
export function roomyQueue(): QueueMemory {
  const plenty = Number.MAX_SAFE_INTEGER;
  return new PlayoutMemory({ totalBytes: plenty, accountBytes: plenty, onFull() {} }).queueOf('acc_1');
}
