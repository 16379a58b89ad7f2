/** Returns a function that makes a value for each number, such as a sample rate, once and for all who ask for it. */
export function onePer<Value>(make: (key: number) => Value): (key: number) => Value {
  const made = new Map<number, Value>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
