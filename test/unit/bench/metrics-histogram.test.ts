import { describe, expect, it } from 'vitest';
import { difference, quantileBound, quantileOf, readHistogram } from '../../../bench/metrics-histogram.ts';

const metrics = (counts: readonly number[]): string =>
  ['0.001', '0.002', '0.004', '+Inf'].map((le, i) => `late_bucket{le="${le}"} ${counts[i]}`).join('\n');

describe('histogram between two readings', () => {
  const before = readHistogram(`# HELP late\n${metrics([10, 10, 10, 10])}\nlate_count 10`, 'late');
  const after = readHistogram(metrics([60, 100, 108, 110]), 'late');
  const between = difference(before, after);

  it('holds what came in between', () => {
    expect(between).toEqual({
      bounds: [0.001, 0.002, 0.004, Number.POSITIVE_INFINITY],
      counts: [50, 90, 98, 100],
    });
  });

  it('gives quantiles within a bucket in a straight line', () => {
    expect(quantileOf(between, 0.25)).toBeCloseTo(0.0005);
    expect(quantileOf(between, 0.7)).toBeCloseTo(0.0015);
    expect(quantileOf(between, 0.98)).toBeCloseTo(0.004);
  });

  it('gives the last bound for what is beyond all of them, and NaN for nothing', () => {
    expect(quantileOf(between, 0.999)).toBe(0.004);
    expect(quantileOf(difference(after, after), 0.5)).toBeNaN();
  });

  it('says when there is no such histogram', () => {
    expect(() => readHistogram('', 'late')).toThrow('/metrics has no late');
  });
});

describe('a histogram of one reading', () => {
  const late = readHistogram(
    `# HELP late_seconds How late
late_seconds_bucket{le="0.0005"} 900
late_seconds_bucket{le="0.02",thread="1"} 999
late_seconds_bucket{le="+Inf"} 1000
late_seconds_sum 3.5
later_seconds_bucket{le="0.0005"} 7
`,
    'late_seconds',
  );

  it('is that of its name alone', () => {
    expect(late).toEqual({ bounds: [0.0005, 0.02, Number.POSITIVE_INFINITY], counts: [900, 999, 1000] });
  });

  it('gives the bound of the bucket that a share is in', () => {
    expect([0.5, 0.9, 0.95, 0.999, 0.9995].map((share) => quantileBound(late, share))).toEqual([
      ...[0.0005, 0.0005, 0.02, 0.02, Number.POSITIVE_INFINITY],
    ]);
    expect(quantileBound(difference(late, late), 0.5)).toBeNaN();
  });
});
