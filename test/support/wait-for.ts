const POLL_MS = 10;
/** For what should happen at once: only a fault takes longer, not a busy machine. */
const DEADLINE_MS = 30_000;

/** Waits until `condition` gives something truthy and returns it; throws when `deadlineMs` pass, naming `what`. */
export async function waitFor<T>(
  what: string,
  condition: () => T | Promise<T>,
  deadlineMs = DEADLINE_MS,
): Promise<Exclude<T, false | null | undefined | 0 | ''>> {
  const end = performance.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, false | null | undefined | 0 | ''>;
    if (performance.now() >= end) throw new Error(`waited ${deadlineMs} ms in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/** Rejects when `promise` has not settled within `deadlineMs`. */
export async function within<T>(what: string, promise: Promise<T>, deadlineMs = DEADLINE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${deadlineMs} ms in vain for ${what}`)), deadlineMs);
  });
  try {
    return await Promise.race([promise, deadline]);
  } finally {
    clearTimeout(timer);
  }
}
