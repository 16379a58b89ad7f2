import { totalmem } from 'node:os';

/** Returns the memory that this process may use, in bytes: the machine's, or what its container is given. */
export function availableMemoryBytes(): number {
  return Math.min(totalmem(), process.constrainedMemory() || totalmem());
}
