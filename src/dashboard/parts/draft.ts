import { type Signal, signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';

/** What a field of a form shows and sets. Signals are such. */
export interface Held<T> {
  value: T;
}

/** What is being filled in. */
export type Draft<T extends object> = { readonly [Key in keyof T]: Signal<T[Key]> };

/** The fields of a form, with their first values. */
export function useDraft<T extends object>(first: T): Draft<T> {
  return useMemo(() => {
    const fields = Object.entries(first).map(([key, value]) => [key, signal(value)]);
    return Object.fromEntries(fields) as Draft<T>;
  }, []);
}

export function valuesOf<T extends object>(draft: Draft<T>): T {
  const values = Object.entries<Signal>(draft).map(([key, field]) => [key, field.value]);
  return Object.fromEntries(values) as T;
}

export function fill<T extends object>(draft: Draft<T>, values: Partial<T>): void {
  for (const key of Object.keys(values) as (keyof T)[]) draft[key].value = values[key] as T[keyof T];
}

/** A value that is stored elsewhere. */
export function held<T>(value: T, set: (value: T) => void): Held<T> {
  return {
    get value() {
      return value;
    },
    set value(next) {
      set(next);
    },
  };
}

/** One of many values that have names. */
export function entryOf<T>(all: Held<Readonly<Record<string, T>>>, name: string, none: T): Held<T> {
  return held(all.value[name] ?? none, (value) => {
    all.value = { ...all.value, [name]: value };
  });
}
