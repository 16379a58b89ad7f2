/** The longest name kept, in characters. People and channels choose their names, some without a limit. */
const MAX_CHARACTERS = 256;

/** Returns the name as it is stored and shown: shortened, and null instead of empty. */
export function shownName(name: string | null): string | null {
  // A character takes up to two units, so this prefix holds enough of them.
  const characters = [...(name ?? '').slice(0, 2 * MAX_CHARACTERS + 1)];
  if (characters.length > MAX_CHARACTERS) return `${characters.slice(0, MAX_CHARACTERS - 1).join('')}…`;
  return characters.join('') || null;
}
