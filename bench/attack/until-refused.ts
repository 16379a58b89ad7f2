/** How often something can be made, and what is answered then; stops at `most`. */
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
