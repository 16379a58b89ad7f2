import { cutText } from '../base/cut-text.ts';

const MAX_CHARACTERS = 300;
const HIDDEN = '[secret]';

/** Returns a provider's words as one line that can be shown: without the secrets of the request, which some repeat. */
export function providerWords(words: string, secrets: readonly string[]): string {
  const safe = secrets
    .filter((secret) => secret !== '')
    .reduce((text, secret) => text.replaceAll(secret, HIDDEN), words);
  return cutText(safe.replace(/[\s\p{Cc}]+/gu, ' ').trim(), MAX_CHARACTERS);
}
