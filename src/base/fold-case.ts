/**
 * A text as it is compared where case does not count, in every script: "Étoile" and "étoile", "ΣΟΦΟΣ" and "σοφος". By way
 * of upper case, which also joins letters that have several lower-case forms, such as "ß" and "ss"; composed first,
 * because the same letter may be written as one character or as two.
 */
export function foldCase(text: string): string {
  return text.normalize('NFC').toUpperCase().toLowerCase();
}
