import { describe, expect, it } from 'vitest';
import { peakDbfs, rmsDbfs } from '../../support/levels.ts';
import { Tone } from '../../support/tone.ts';
import { fitSine } from '../../support/tone-analysis.ts';

describe('Tone', () => {
  it('continues its phase from frame to frame', () => {
    const tone = new Tone(441, 8_000, 0.25);
    const samples = new Int16Array(160 * 50);
    for (let i = 0; i < 50; i++) tone.fill(samples.subarray(i * 160, (i + 1) * 160));
    expect(fitSine(samples, 8_000, 441).snrDb).toBeGreaterThan(75);
    expect(fitSine(samples, 8_000, 441).amplitude / 32_767).toBeCloseTo(0.25, 3);
  });
});

describe('levels', () => {
  it('puts a full-scale sine at −3 dB RMS and 0 dB peak', () => {
    const frame = new Int16Array(8_000);
    new Tone(1_000, 8_000, 1).fill(frame);
    expect(rmsDbfs(frame)).toBeCloseTo(-3.01, 1);
    expect(peakDbfs(frame)).toBeCloseTo(0, 1);
  });

  it('gives silence a finite level', () => {
    expect(rmsDbfs(new Int16Array(160))).toBe(-100);
    expect(peakDbfs(new Int16Array(0))).toBe(-100);
  });
});
