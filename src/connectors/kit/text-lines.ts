/** Returns the line in front of a message that was passed on. */
export function forwarded(author: string): string {
  return author === '' ? '[forwarded]' : `[forwarded from ${author}]`;
}

/** Joins the lines that have something in them. */
export function linesOf(lines: readonly string[]): string {
  return lines.filter((line) => line !== '').join('\n');
}
