import { cutText } from '../base/cut-text.ts';

const MAX_CHARACTERS = 300;
const HIDDEN = '[key]';

/** Returns what a vendor said as one line that can be shown: without the key, which some vendors repeat. */
export function vendorWords(words: string, key: string): string {
  const safe = key === '' ? words : words.replaceAll(key, HIDDEN);
  return cutText(safe.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_CHARACTERS);
}
