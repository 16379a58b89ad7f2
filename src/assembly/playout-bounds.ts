import { availableMemoryBytes } from '../base/memory-limit.ts';

/**
 * The limits of one thread for audio that waits to be played: its share in an eighth of the memory available to the
 * process, and half of that per account. The main thread has a share beside the stream threads.
 */
export function playoutBounds(streamThreads: number): { totalBytes: number; accountBytes: number } {
  const totalBytes = Math.floor(availableMemoryBytes() / 8 / (streamThreads + 1));
  return { totalBytes, accountBytes: Math.floor(totalBytes / 2) };
}
