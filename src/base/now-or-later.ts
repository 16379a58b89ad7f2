/**
 * Passes a value to `next`. If the value is already known, `next` runs synchronously, so that data in memory is
 * answered in the same turn.
 */
export function goOn<Value, Next>(
  value: Value | Promise<Value>,
  next: (value: Value) => Next | Promise<Next>,
): Next | Promise<Next> {
  return value instanceof Promise ? value.then(next) : next(value);
}
