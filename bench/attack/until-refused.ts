/** Calls `make` until it is refused, at most `most` times. Returns the number of successes and the last status. */
export async function untilRefused(
  most: number,
  make: (n: number) => Promise<{ status: number }>,
): Promise<{ count: number; status: number }> {
  for (let count = 0; count < most; count++) {
    const { status } = await make(count);
    if (status >= 300) return { count, status };
  }
  return { count: most, status: 200 };
}
