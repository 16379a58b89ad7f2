const MIN_MS = 500;
const MAX_MS = 8_000;

/** Returns how long to wait after so many failures in a row (from 1): 0.5 to 8 s. `random`: 0 to below 1. */
export function retryDelayMs(failures: number, random: number): number {
  const mostMs = Math.min(MAX_MS, MIN_MS * 2 ** failures);
  return MIN_MS + random * (mostMs - MIN_MS);
}
