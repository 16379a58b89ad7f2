import * as z from 'zod';

/** Only digits make a number of a query's text: coercion would read an empty text as 0 and `0x10` as 16. */
export function wholeNumber(least: number, most: number = Number.MAX_SAFE_INTEGER) {
  return z.preprocess(
    (text) => (/^-?\d+$/.test(`${text}`) ? Number(text) : text),
    z.int().min(least).max(most),
  );
}
