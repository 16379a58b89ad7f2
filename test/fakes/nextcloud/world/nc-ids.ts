import { randomBytes } from 'node:crypto';

const TOKEN_CHARACTERS = 'abcdefghijkmnopqrstwxyz23456789';
const WORD_CHARACTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/** Talk's tokens of conversations. */
export function newToken(): string {
  return pickedFrom(TOKEN_CHARACTERS, 8);
}

/** Letters and digits, as in ids of sessions and passwords of apps. */
export function newWord(length: number): string {
  return pickedFrom(WORD_CHARACTERS, length);
}

export function pickedFrom(characters: string, length: number): string {
  return [...randomBytes(length)].map((byte) => characters[byte % characters.length]).join('');
}
