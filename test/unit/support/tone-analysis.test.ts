import { describe, expect, it } from 'vitest';
import { tone } from '../../support/tone.ts';
import { analyzeTone, findToneBreaks, longestSilenceMs, toneLevelDb } from '../../support/tone-analysis.ts';

const RATE_HZ = 8_000;

function join(...parts: Int16Array[]): Int16Array {
  return Int16Array.from(parts.flatMap((part) => [...part]));
}

/** White noise of a known power, the same in every run. */
function withNoise(samples: Int16Array, rms: number): Int16Array {
  let state = 1;
  return samples.map((sample) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return Math.round(sample + (state / 2 ** 32 - 0.5) * Math.sqrt(12) * rms);
  });
}

describe('analyzeTone', () => {
  it('measures the noise that was added', () => {
    const amplitude = 10_000;
    const noisy = withNoise(tone(1_000, RATE_HZ, 16_000, { amplitude }), amplitude / Math.SQRT2 / 100);
    const report = analyzeTone(noisy, RATE_HZ, 1_000);
    expect(report.snrDb).toBeCloseTo(40, 0);
    expect(report.amplitude).toBeCloseTo(amplitude, -2);
  });

  it('ignores silence before and after', () => {
    const silence = new Int16Array(8_000);
    const report = analyzeTone(join(silence, tone(440, RATE_HZ, 16_000), silence), RATE_HZ, 440);
    expect(report.worstSnrDb).toBeGreaterThan(60);
    expect(report.startMs).toBeGreaterThan(850);
    expect(report.startMs).toBeLessThanOrEqual(1_000);
    expect(report.lengthMs).toBeGreaterThan(1_900);
    expect(report.lengthMs).toBeLessThan(2_300);
  });

  it('finds nothing in silence or in another tone', () => {
    expect(analyzeTone(new Int16Array(8_000), RATE_HZ, 440).snrDb).toBe(-Infinity);
    expect(analyzeTone(tone(1_000, RATE_HZ, 16_000), RATE_HZ, 440).snrDb).toBeLessThan(-20);
  });

  it('shows a gap of one frame in the worst window', () => {
    const broken = tone(440, RATE_HZ, 16_000);
    broken.fill(0, 8_000, 8_160);
    const report = analyzeTone(broken, RATE_HZ, 440);
    expect(report.snrDb).toBeGreaterThan(60);
    expect(report.worstSnrDb).toBeLessThan(15);
  });
});

describe('findToneBreaks', () => {
  it('finds none in a steady tone', () => {
    expect(findToneBreaks(tone(440, RATE_HZ, 40_000), RATE_HZ, 440)).toEqual([]);
  });

  it('finds a silent frame and where it is', () => {
    const broken = tone(440, RATE_HZ, 16_000);
    broken.fill(0, 8_000, 8_160);
    const breaks = findToneBreaks(broken, RATE_HZ, 440);
    expect(breaks.map((found) => found.kind)).toContain('gap');
    expect(breaks[0]?.atMs).toBeCloseTo(1_000, -2);
  });

  it('finds a frame that was cut out', () => {
    const whole = tone(430, RATE_HZ, 16_000);
    const breaks = findToneBreaks(join(whole.slice(0, 8_000), whole.slice(8_160)), RATE_HZ, 430);
    expect(breaks.map((found) => found.kind)).toContain('phase');
  });
});

describe('toneLevelDb', () => {
  it('separates a faint tone from a loud one', () => {
    const loud = tone(440, RATE_HZ, 16_000, { amplitude: 16_000 });
    const both = loud.map(
      (sample, i) => sample + Math.round(16 * Math.sin((2 * Math.PI * 1_000 * i) / RATE_HZ)),
    );
    const difference = toneLevelDb(both, RATE_HZ, 440) - toneLevelDb(both, RATE_HZ, 1_000);
    expect(difference).toBeCloseTo(60, 0);
  });
});

describe('longestSilenceMs', () => {
  it('measures the longest run of zeros', () => {
    const samples = new Int16Array(8_000).fill(5);
    samples.fill(0, 100, 260);
    samples.fill(0, 1_000, 1_080);
    expect(longestSilenceMs(samples, RATE_HZ)).toBe(20);
  });
});
