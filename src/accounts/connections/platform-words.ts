import { cutText } from '../../base/cut-text.ts';

const MAX_LENGTH = 300;
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/**
 * Joins what a platform said into one line for people, without secrets that it may have quoted. Empty parts are left
 * out.
 */
export function platformWords(
  parts: readonly (string | null | undefined)[],
  secrets: readonly string[] = [],
): string {
  let text = parts.filter(Boolean).join(': ');
  for (const secret of secrets) if (secret !== '') text = text.replaceAll(secret, '…');
  return cutText(text.replace(CONTROL, ' ').trim(), MAX_LENGTH);
}
