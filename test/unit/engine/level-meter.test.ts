import { expect, it } from 'vitest';
import { LevelMeter } from '../../../src/engine/level-meter.ts';

const LOUD = new Int16Array(160).fill(16_384);
const TICKS_OF_5_S = 250;

it('measures once somebody has asked, falls slowly, and stops when nobody asks any more', () => {
  const meter = new LevelMeter();
  meter.note(LOUD, true);
  expect(meter.read()).toBe(0);
  meter.note(LOUD, true);
  expect(meter.read()).toBeCloseTo(0.5, 3);
  // What is not voiced is undefined.
  for (let tick = 0; tick < 25; tick++) meter.note(LOUD, false);
  const later = meter.read();
  expect(later).toBeLessThan(0.3);
  expect(later).toBeGreaterThan(0.1);
  for (let tick = 0; tick < TICKS_OF_5_S; tick++) meter.note(LOUD, true);
  expect(meter.read()).toBe(0);
});
