/** Compares two snowflakes by age: negative if `a` is the older one. */
export function compareSnowflakes(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
