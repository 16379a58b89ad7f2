/** A boolean as SQLite stores it. */
export type Bit = 0 | 1;

export function bit(value: boolean): Bit {
  return value ? 1 : 0;
}
