const SPACE = /\s/;

/** Cuts a text into parts of at most `most` UTF-16 units, between words where that is possible. */
export function splitText(text: string, most: number): string[] {
  const parts: string[] = [];
  let rest = text.trim();
  while (rest.length > most) {
    const end = cutAt(rest, most);
    parts.push(rest.slice(0, end).trimEnd());
    rest = rest.slice(end).trimStart();
  }
  if (rest !== '') parts.push(rest);
  return parts;
}

function cutAt(text: string, most: number): number {
  for (let at = most; at > most / 2; at--) if (SPACE.test(text.charAt(at))) return at;
  // A long text without a space. A character of two units is not cut.
  return /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
}
