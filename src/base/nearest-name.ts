const MAX_TYPING_ERRORS = 2;
/** Longer names are not compared: they are no typing mistakes, and comparing them would take long. */
const MAX_NAME_LENGTH = 40;

/** The known name that `name` is a misspelling of, whatever its case and punctuation; null if none is close. */
export function nearestName(name: string, known: readonly string[]): string | null {
  if (name.length > MAX_NAME_LENGTH) return null;
  const asked = bareName(name);
  const [nearest] = known
    .map((each) => ({ each, bare: bareName(each) }))
    .map(({ each, bare }) => ({ each, errors: distance(asked, bare), most: bare.length / 3 }))
    .filter(({ errors, most }) => errors <= Math.min(MAX_TYPING_ERRORS, most))
    .sort((a, b) => a.errors - b.errors);
  return nearest?.each ?? null;
}

/** A name in lower case and without punctuation. */
export function bareName(name: string): string {
  return name.toLowerCase().replaceAll(/[_\W]/g, '');
}

/** Levenshtein distance, with two exchanged neighbours as one error. */
function distance(from: string, to: string): number {
  let before: number[] = [];
  let row = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line++) {
    const next = [line];
    for (let column = 1; column <= to.length; column++) {
      const replaced = row[column - 1]! + (from[line - 1] === to[column - 1] ? 0 : 1);
      const isExchange = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      const exchanged = isExchange ? before[column - 2]! + 1 : replaced;
      next.push(Math.min(replaced, exchanged, row[column]! + 1, next[column - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[to.length]!;
}
