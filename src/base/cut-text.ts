const SPLIT_PAIR = /[\uD800-\uDBFF]$/;

/** Returns the start of a text: at most so many UTF-16 units, and no half of a character at its end. */
export function cutText(text: string, most: number): string {
  return text.slice(0, most).replace(SPLIT_PAIR, '');
}
