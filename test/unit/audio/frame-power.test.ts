import { expect, test } from 'vitest';
import { blockPowers, framePower, laterProduct } from '../../../src/audio/frame-power.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

const FULL_SCALE_POWER = 0x8000 ** 2;
const random = new SeededRandom(1);

function noise(length: number): Int16Array {
  return Int16Array.from({ length }, () => random.below(0x1_0000) - 0x8000);
}

function meanProduct(samples: Int16Array, lag: number): number {
  let sum = 0;
  for (let i = lag; i < samples.length; i++) sum += samples[i]! * samples[i - lag]!;
  return sum / (samples.length - lag) / FULL_SCALE_POWER;
}

test.each([1, 7, 8, 160, 163, 960, 16_384, 40_001])('the power of %i samples', (length) => {
  const samples = noise(length);
  expect(framePower(samples)).toBeCloseTo(meanProduct(samples, 0), 12);
});

test('a full-scale square wave has a power of 1, and nothing has none', () => {
  expect(framePower(new Int16Array(160).fill(-0x8000))).toBe(1);
  expect(framePower(new Int16Array(0))).toBe(0);
});

test('a product says nothing of a longer frame before', () => {
  framePower(noise(960));
  const samples = noise(160);
  framePower(samples);
  for (const lag of [1, 2, 12]) expect(laterProduct(lag)).toBeCloseTo(meanProduct(samples, lag), 12);
});

test.each([8_000, 16_000, 48_000])('the powers of twenty blocks at %i Hz', (rateHz) => {
  const samples = noise(rateHz / 50);
  const powers = new Float64Array(20);
  blockPowers(samples, powers);
  const length = samples.length / powers.length;
  for (const [i, power] of powers.entries())
    expect(power).toBeCloseTo(meanProduct(samples.subarray(i * length, (i + 1) * length), 0), 12);
});

test.each([8_000, 11_025, 12_000, 22_050, 24_000, 32_000, 44_100, 48_000])(
  'twenty blocks at %i Hz are equal in a frame that is',
  (rateHz) => {
    const powers = new Float64Array(20);
    blockPowers(new Int16Array(Math.floor(rateHz / 50)).fill(0x4000), powers);
    for (const power of powers.subarray(0, 19)) expect(power).toBe(0.25);
    // It may end within a vector.
    expect(powers[19]).toBeGreaterThan(0.1);
  },
);
