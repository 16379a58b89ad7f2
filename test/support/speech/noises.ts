import { SeededRandom } from '../seeded-random.ts';

const RATE_HZ = 8_000;
const MINUTE = 60 * RATE_HZ;

/** A minute of somebody who types beside the microphone. */
export function keyClicks(): Int16Array {
  const random = new SeededRandom(5);
  const samples = new Int16Array(MINUTE);
  for (let ms = 1_000; ms < 59_000; ms += 80 + random.next() * 250)
    for (let i = 0; i < 120; i++)
      samples[Math.round(ms * 8) + i] = Math.round((2 * random.next() - 1) * 12_000 * Math.exp(-i / 25));
  return samples;
}

/** A minute of dial tone, ringing, busy tone, keys, a siren and a buzz, ten seconds each. */
export function tones(): Int16Array {
  const wave = (hz: number, seconds: number) => Math.sin(2 * Math.PI * hz * seconds);
  const low = [697, 770, 852, 941];
  const high = [1_209, 1_336, 1_477, 1_633];
  const sounds: ((seconds: number) => number)[] = [
    (s) => wave(350, s) + wave(440, s),
    (s) => (s % 6 < 2 ? wave(440, s) + wave(480, s) : 0),
    (s) => (s % 0.5 < 0.25 ? 2 * wave(425, s) : 0),
    (s) => {
      const key = Math.floor(s / 0.2) % 4;
      return s % 0.2 < 0.1 ? wave(low[key]!, s) + wave(high[key]!, s) : 0;
    },
    (s) => 2 * wave(600 + 400 * wave(0.5, s), s),
    (s) => 2 * ((120 * s) % 1) - 1,
  ];
  return Int16Array.from({ length: MINUTE }, (_, i) =>
    Math.round(2_500 * sounds[Math.floor(i / (10 * RATE_HZ))]!(i / RATE_HZ)),
  );
}
