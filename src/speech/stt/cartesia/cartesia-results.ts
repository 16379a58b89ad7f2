import type { AudioFormat } from '../../audio-format.ts';

/** At 8 kHz Cartesia takes µ-law. */
export const RATES_HZ = [16_000, 24_000, 44_100, 48_000] as const;

export function encodingOf({ encoding }: AudioFormat): string {
  return encoding === 'mulaw' ? 'pcm_mulaw' : 'pcm_s16le';
}
