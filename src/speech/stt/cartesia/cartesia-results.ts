import type { AudioFormat } from '../../audio-format.ts';
import type { Recognized } from '../recognizer.ts';

/** At 8 kHz Cartesia takes µ-law. */
export const RATES_HZ = [16_000, 24_000, 44_100, 48_000] as const;

const NOTHING_KNOWN = {
  startMs: null,
  endMs: null,
  confidence: null,
  language: null,
  speaker: null,
} as const;

export function encodingOf({ encoding }: AudioFormat): string {
  return encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le';
}

/** Returns a result of which Cartesia tells only some things. */
export function resultOf(text: string, known: Partial<Recognized> = {}): Recognized {
  return { ...NOTHING_KNOWN, ...known, text };
}
