/** A broken invariant: a bug of ours, never a client's mistake. It ends the call it happens in. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Makes a switch over a union exhaustive at compile time and loud at run time. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
