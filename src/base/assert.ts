/** A broken invariant: a bug in the gateway, never a client's mistake. It ends only the call in which it is thrown. */
export class AssertionError extends Error {
  override readonly name = 'AssertionError';
}

export function assert(condition: unknown, message: string): asserts condition {
  if (!condition) throw new AssertionError(message);
}

/** Makes a switch over a union exhaustive at compile time, and throws at run time. */
export function unreachable(value: never): never {
  throw new AssertionError(`unreachable: ${JSON.stringify(value)}`);
}
