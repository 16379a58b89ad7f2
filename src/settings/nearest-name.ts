/** Beyond this many typing mistakes a name is another name. */
const MAX_MISTAKES = 3;

/** The known name that `name` was probably meant to be; null when none is near. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, mistakes: editDistance(name, candidate) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  const best = ranked[0];
  return best && best.mistakes <= MAX_MISTAKES ? best.candidate : null;
}

/** Levenshtein distance: insertions, deletions and replacements that turn one text into the other. */
function editDistance(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const replaced = above[column - 1]! + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, above[column]! + 1, current[column - 1]! + 1));
    }
    above = current;
  }
  return above[to.length]!;
}
