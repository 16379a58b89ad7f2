import { describe, expect, it } from 'vitest';
import { encodeUlaw } from '../../../../src/audio/g711.ts';
import { isSilent } from '../../../../src/speech/audio-format.ts';

const LEVELS = [
  { peak: 0, isQuiet: true },
  { peak: 100, isQuiet: true },
  { peak: 480, isQuiet: true },
  { peak: 600, isQuiet: false },
  { peak: 20_000, isQuiet: false },
];

describe.each(LEVELS)('audio with a peak of $peak', ({ peak, isQuiet }) => {
  const samples = Int16Array.from({ length: 160 }, (_, at) => (at === 80 ? -peak : 0));

  it(`is ${isQuiet ? '' : 'not '}silent as PCM`, () => {
    // At an odd offset, as in a larger buffer.
    const bytes = new Uint8Array(321);
    bytes.set(new Uint8Array(samples.buffer), 1);
    expect(isSilent(bytes.subarray(1), { encoding: 's16le', sampleRateHz: 8_000 })).toBe(isQuiet);
  });

  it(`is ${isQuiet ? '' : 'not '}silent as µ-law`, () => {
    const codes = new Uint8Array(samples.length);
    encodeUlaw(samples, samples.length, codes, 0);
    expect(isSilent(codes, { encoding: 'mulaw', sampleRateHz: 8_000 })).toBe(isQuiet);
  });
});
