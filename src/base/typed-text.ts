/**
 * Returns text that was copied from a mail, a page or a calendar as if it had been typed: with plain spaces, hyphens and
 * digits, and without the invisible characters that are put around numbers, or where lines may break.
 */
export function typedText(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/(?!-)[\p{Pd}\u2212]/gu, '-')
    .trim();
}
