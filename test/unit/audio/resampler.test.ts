import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Resampler } from '../../../src/audio/resampler.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';

const EXACT_RATES_HZ = [8_000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000];

/** Sends `frames` of 20 ms of a tone through a chain of resamplers; returns all output. */
function passTone(ratesHz: readonly number[], frequencyHz: number, frames: number): Int16Array {
  const tone = new Tone(frequencyHz, ratesHz[0]!, 0.5);
  const collected: number[] = [];
  const frameSamples = (rateHz: number): number => Math.floor(rateHz / 50);
  const input = new Int16Array(frameSamples(ratesHz[0]!));
  const stages = ratesHz
    .slice(1)
    .map((outRateHz, i) => new Resampler(ratesHz[i]!, outRateHz, frameSamples(ratesHz[i]!) + 1));
  for (let frame = 0; frame < frames; frame++) {
    tone.fill(input);
    let samples: Int16Array = input;
    for (const resampler of stages) samples = resampler.process(samples, samples.length);
    collected.push(...samples);
  }
  return Int16Array.from(collected);
}

describe('Resampler', () => {
  it.each([11_025, 16_000, 24_000, 44_100, 48_000])(
    'keeps a 1 kHz tone 60 dB clean through %i Hz',
    (rate) => {
      const heard = passTone([8_000, rate, 8_000], 1_000, 50).subarray(800);
      expect(fitSine(heard, 8_000, 1_000).snrDb).toBeGreaterThan(60);
      expect(fitSine(heard, 8_000, 1_000).amplitude / 32_767).toBeCloseTo(0.5, 2);
    },
  );

  it('removes what the lower rate cannot carry', () => {
    const heard = passTone([48_000, 8_000], 6_000, 50).subarray(800);
    expect(Math.max(...heard.map(Math.abs))).toBeLessThan(20);
  });

  it('converts each 20 ms into exactly 20 ms where both rates allow it', () => {
    for (const inRateHz of EXACT_RATES_HZ) {
      for (const outRateHz of [8_000, 16_000, 48_000].filter((rate) => rate !== inRateHz)) {
        const inSamples = inRateHz / 50;
        const resampler = new Resampler(inRateHz, outRateHz, inSamples);
        for (let frame = 0; frame < 20; frame++) {
          expect(resampler.process(new Int16Array(inSamples), inSamples)).toHaveLength(outRateHz / 50);
        }
      }
    }
  });

  it('neither loses nor gains a sample, at any rate and any split', () => {
    const rate = fc.integer({ min: 8_000, max: 48_000 });
    const cuts = fc.array(fc.integer({ min: 1, max: 1_000 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(rate, fc.constantFrom(8_000, 16_000, 48_000), fc.boolean(), cuts, (a, b, swap, lengths) => {
        fc.pre(a !== b);
        const [inRateHz, outRateHz] = swap ? [b, a] : [a, b];
        const resampler = new Resampler(inRateHz, outRateHz, 1_000);
        const input = new Int16Array(1_000);
        let fed = 0;
        let got = 0;
        for (const length of lengths) {
          got += resampler.process(input, length).length;
          fed += length;
        }
        expect(Math.abs(got - (fed * outRateHz) / inRateHz)).toBeLessThanOrEqual(1);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses more input than agreed, and equal rates', () => {
    const resampler = new Resampler(8_000, 16_000, 160);
    expect(() => resampler.process(new Int16Array(161), 161)).toThrow('longer than agreed');
    expect(() => new Resampler(8_000, 8_000, 160)).toThrow('equal rates');
  });

  it('saturates instead of wrapping around', () => {
    const resampler = new Resampler(8_000, 16_000, 160);
    const square = Int16Array.from({ length: 160 }, (_, i) => (i % 40 < 20 ? 32_767 : -32_768));
    resampler.process(square, 160);
    const output = resampler.process(square, 160);
    for (let i = 1; i < 320; i++) expect(Math.abs(output[i]! - output[i - 1]!)).toBeLessThan(60_000);
    expect(Math.max(...output)).toBe(32_767);
  });

  it('keeps many resamplers of many rates apart in their shared memory', () => {
    const rates = Array.from({ length: 40 }, (_, i) => 8_100 + i * 997);
    const alone = rates.map((rate) => passTone([8_000, rate], 1_000, 10));
    const together = rates.map((rate) => ({
      resampler: new Resampler(8_000, rate, 160),
      heard: [] as number[],
    }));
    const tone = new Tone(1_000, 8_000, 0.5);
    const input = new Int16Array(160);
    for (let frame = 0; frame < 10; frame++) {
      tone.fill(input);
      for (const { resampler, heard } of together) heard.push(...resampler.process(input, 160));
    }
    expect(together.map(({ heard }) => Int16Array.from(heard))).toEqual(alone);
  });
});
