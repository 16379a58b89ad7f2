/** Names with more differences than this are not considered typing mistakes. */
const MAX_MISTAKES = 3;

/** The known name that `name` is probably a misspelling of; null if none is close. The caller bounds the name's length. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const ranked = known
    .map((candidate) => ({ candidate, mistakes: editDistance(name, candidate) }))
    .sort((a, b) => a.mistakes - b.mistakes);
  const best = ranked[0];
  return best && best.mistakes <= MAX_MISTAKES ? best.candidate : null;
}

/** Levenshtein distance between two texts. */
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
