/** `inner` with some members replaced. A proxy, because methods with private fields need their own `this`. */
export function replacing<Inner extends object>(inner: Inner, members: Partial<Inner>): Inner {
  return new Proxy(inner, { get: (_target, key) => bound(key in members ? members : inner, key) });
}

/** A member of `owner`; methods are bound to it. */
export function bound(owner: object, key: string | symbol): unknown {
  const value = Reflect.get(owner, key, owner);
  return typeof value === 'function' ? value.bind(owner) : value;
}
