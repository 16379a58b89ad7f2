import * as z from 'zod';

/** An integer in a query, which must consist of digits: coercion would read '' as 0 and `0x10` as 16. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(
    (text) => (/^-?\d+$/.test(`${text}`) ? Number(text) : text),
    z.int().min(least).max(most),
  );
}
