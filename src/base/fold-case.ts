/**
 * Returns a text's form for case-insensitive comparison in any script: "Étoile" and "étoile", "ΣΟΦΟΣ" and "σοφος".
 * Converts to upper case first, which also unites letters with several lower-case forms, such as "ß" and "ss".
 * Normalizes before that, because a letter can be written as one or two characters.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase();
}
