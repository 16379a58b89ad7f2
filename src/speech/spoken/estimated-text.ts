import { wholeWords } from './whole-words.ts';

/** One text that was synthesized by itself. */
export interface SpeechPart {
  readonly text: string;
  /** Length of the audio that has arrived for it. */
  readonly audioMs: number;
  /** Whether all of it has arrived. */
  readonly isComplete: boolean;
}

/** How fast people and engines speak, roughly. It counts while the length of a part's audio is unknown. */
const CHARS_PER_MS = 15 / 1000;

/**
 * Estimates which words had been spoken after `playedMs`, where the vendor does not say: each part is as far as the
 * share of its audio that was played. Words of which only a part was heard are left out.
 */
export function estimatedText(parts: readonly SpeechPart[], playedMs: number): string {
  let spoken = '';
  let leftMs = playedMs;
  for (const part of parts) {
    const totalMs = lengthMs(part);
    if (leftMs < totalMs) {
      const length = Math.floor((part.text.length * leftMs) / totalMs);
      return (spoken + wholeWords(part.text, length)).trimEnd();
    }
    spoken += part.text;
    leftMs -= totalMs;
  }
  return spoken;
}

function lengthMs({ text, audioMs, isComplete }: SpeechPart): number {
  return isComplete ? audioMs : Math.max(audioMs, text.length / CHARS_PER_MS);
}
