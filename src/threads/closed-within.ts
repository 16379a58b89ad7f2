/** Waits until everything is closed, but at most `deadlineMs`. Keeps the process alive meanwhile. */
export async function closedWithin(deadlineMs: number, closings: readonly Promise<unknown>[]): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const deadline = setTimeout(resolve, deadlineMs);
  await Promise.race([Promise.all(closings), late]);
  clearTimeout(deadline);
}
