import { GAP_MS, WORD_MS } from '../tone-speech.ts';

/** When each character of tone speech is spoken, in ms since its beginning. */
export interface CharacterTime {
  readonly char: string;
  readonly startMs: number;
  readonly durationMs: number;
}

/** Spreads the letters of each word over its tone, and what follows it over the silence after it. */
export function alignTones(text: string): CharacterTime[] {
  const parts = text.match(/[\p{L}\p{N}'-]+|[^\p{L}\p{N}'-]+/gu) ?? [];
  const times: CharacterTime[] = [];
  let atMs = 0;
  for (const part of parts) {
    const isWord = /^[\p{L}\p{N}'-]/u.test(part);
    const lengthMs = isWord ? WORD_MS : atMs === 0 ? 0 : GAP_MS;
    const chars = [...part];
    chars.forEach((char, at) => {
      const startMs = Math.floor(atMs + (lengthMs * at) / chars.length);
      times.push({ char, startMs, durationMs: Math.floor(lengthMs / chars.length) });
    });
    atMs += lengthMs;
  }
  return times;
}
