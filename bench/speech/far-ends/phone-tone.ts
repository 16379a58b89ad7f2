import { encodeUlaw } from '../../../src/audio/g711.ts';

/** As in `bench/generator/probe.c`. Each frame starts an eighth of a turn after the previous one. */
const TONE_HZ = 1_006.25;
const AMPLITUDE = 8_000;
const RATE_HZ = 8_000;
const PERIOD_SAMPLES = 8 * 160;

const period = toneOf(PERIOD_SAMPLES);

/** The generator's tone in µ-law, from which its telephones tell whether anything was lost or repeated. */
export class PhoneTone {
  #at = 0;

  next(durationMs: number): Uint8Array {
    const bytes = new Uint8Array((RATE_HZ * durationMs) / 1_000);
    for (let i = 0; i < bytes.length; i++) bytes[i] = period[(this.#at + i) % PERIOD_SAMPLES] as number;
    this.#at = (this.#at + bytes.length) % PERIOD_SAMPLES;
    return bytes;
  }
}

function toneOf(samples: number): Uint8Array {
  const pcm = Int16Array.from({ length: samples }, (_, i) =>
    Math.round(AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * i) / RATE_HZ)),
  );
  const bytes = new Uint8Array(samples);
  encodeUlaw(pcm, samples, bytes, 0);
  return bytes;
}
