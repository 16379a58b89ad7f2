import { setTimeout as pause } from 'node:timers/promises';

/** Does something as fast as it is answered, so many at once, until a time. Resolves with how often. */
export async function againAndAgain(
  atOnce: number,
  endMs: number,
  take: (n: number) => Promise<unknown>,
): Promise<number> {
  let n = 0;
  const one = async () => {
    // A refused connection is no reason to stop.
    while (performance.now() < endMs) await take(n++).catch(() => pause(1));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return n;
}
