/**
 * Goes on with a value: at once where it is known already, so that what is in memory is answered in the turn in which it
 * was asked for.
 */
export function goOn<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
