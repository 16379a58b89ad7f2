import { framePower } from '../../../src/audio/frame-power.ts';
import { joined } from '../speech-signal.ts';
import type { Phone } from './phone-thread.ts';

const PER_MS = 8;
const FRAME_MS = 20;
/** Speech ends in the middle of its last 20 ms that are less than so much weaker than its loudest, in dB. */
const BELOW_LOUDEST_DB = 30;
/** It is so much louder than the noise, in dB. */
const ABOVE_NOISE_DB = 9;
/** −50 dBFS in 2 ms. */
const SOUND = 10 ** -5;
const SOUND_MS = 2;

/** Times of `performance.now()`. */
export interface RecordedTurn {
  readonly endMs: number;
  readonly soundMs: number;
}

/**
 * The end of what a phone said, and the first sound that it heard afterwards, as a recorder on its line would have
 * them on two channels. `noisePower` is that of what is on the line all the time.
 */
export function stereoTurn(phone: Phone, noisePower: number): RecordedTurn {
  const endMs = endOf(phone, noisePower);
  const { heard, heardAtMs } = phone;
  for (const [i, frame] of heard.entries()) {
    if (heardAtMs[i]! < endMs) continue;
    for (let ms = 0; ms + SOUND_MS <= FRAME_MS; ms++)
      if (powerAt(frame, ms, SOUND_MS) > SOUND) return { endMs, soundMs: heardAtMs[i]! + ms };
  }
  return { endMs, soundMs: Number.NaN };
}

function endOf({ spoken }: Phone, noisePower: number): number {
  const voice = joined(...spoken.map(({ frame }) => frame));
  const starts = Array.from({ length: voice.length / PER_MS - FRAME_MS }, (_, ms) => ms);
  const loudest = Math.max(...starts.map((ms) => powerAt(voice, ms, FRAME_MS)));
  const least = Math.max(loudest * 10 ** (-BELOW_LOUDEST_DB / 10), noisePower * 10 ** (ABOVE_NOISE_DB / 10));
  const middleMs = starts.findLast((ms) => powerAt(voice, ms, FRAME_MS) > least)! + FRAME_MS / 2;
  const packet = Math.floor(middleMs / FRAME_MS);
  return spoken[packet]!.atMs + middleMs - packet * FRAME_MS;
}

function powerAt(signal: Int16Array, fromMs: number, lengthMs: number): number {
  return framePower(signal.subarray(fromMs * PER_MS, (fromMs + lengthMs) * PER_MS));
}
