import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readMonoWav } from '../wav.ts';

/** Debian's recordings for telephone systems: people who read prompts, and music on hold. All at 8 kHz. */
const FOLDER = '/usr/share/asterisk';
export const RECORDED_RATE_HZ = 8_000;
/** In samples: sentences, not single words, and none so long that it has pauses. */
const LEAST = RECORDED_RATE_HZ;
const MOST = 5 * RECORDED_RATE_HZ;

/** Sentences that somebody reads. */
export function recordedSentences(reader: 'en_US_f_Allison' | 'fr_CA_f_June', count: number): Int16Array[] {
  return wavsIn(join(FOLDER, 'sounds', reader))
    .filter(({ length }) => length > LEAST && length < MOST)
    .slice(0, count);
}

/** The first minute of each piece. */
export function holdMusic(): Int16Array[] {
  return wavsIn(join(FOLDER, 'moh')).map((piece) => piece.subarray(0, 60 * RECORDED_RATE_HZ));
}

function wavsIn(folder: string): Int16Array[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.wav'));
  return names.sort().map((name) => readMonoWav(join(folder, name)).samples);
}
