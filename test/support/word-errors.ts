/** Substitutions, insertions and deletions that turn what was said into what was understood. */
export function wordErrors(said: string, understood: string): number {
  const [expected, heard] = [wordsOf(said), wordsOf(understood)];
  let row = heard.map((_, i) => i + 1);
  row.unshift(0);
  for (const word of expected) {
    const next = [row[0]! + 1];
    for (const [i, other] of heard.entries()) {
      next.push(Math.min(row[i]! + (word === other ? 0 : 1), row[i + 1]! + 1, next[i]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}

/** Errors per word that was said. */
export function wordErrorRate(said: readonly string[], understood: readonly string[]): number {
  return wordErrors(said.join(' '), understood.join(' ')) / wordsOf(said.join(' ')).length;
}

function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}']+/gu) ?? [];
}
