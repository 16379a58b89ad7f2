import { describe, expect, it } from 'vitest';
import { difference, quantileBound, quantileOf, readHistogram } from '../../../bench/metrics-histogram.ts';

const metrics = (counts: readonly number[]): string =>
  ['0.001', '0.002', '0.004', '+Inf'].map((le, i) => `late_bucket{le="${le}"} ${counts[i]}`).join('\n');

describe('the histogram between two readings', () => {
  const before = readHistogram(`# HELP late\n${metrics([10, 10, 10, 10])}\nlate_count 10`, 'late');
  const after = readHistogram(metrics([60, 100, 108, 110]), 'late');
  const between = difference(before, after);

  it('contains what was added in between', () => {
    expect(between).toEqual({
      bounds: [0.001, 0.002, 0.004, Number.POSITIVE_INFINITY],
      counts: [50, 90, 98, 100],
    });
  });

  it('interpolates quantiles linearly within a bucket', () => {
    expect(quantileOf(between, 0.25)).toBeCloseTo(0.0005);
    expect(quantileOf(between, 0.7)).toBeCloseTo(0.0015);
    expect(quantileOf(between, 0.98)).toBeCloseTo(0.004);
  });

  it('returns the last bound above all buckets, and NaN without values', () => {
    expect(quantileOf(between, 0.999)).toBe(0.004);
    expect(quantileOf(difference(after, after), 0.5)).toBeNaN();
  });

  it('reports a missing histogram', () => {
    expect(() => readHistogram('', 'late')).toThrow('/metrics has no late');
  });
});

describe('the histogram of one reading', () => {
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

  it('contains only its own metric', () => {
    expect(late).toEqual({ bounds: [0.0005, 0.02, Number.POSITIVE_INFINITY], counts: [900, 999, 1000] });
  });

  it('returns the bound of the bucket that contains a quantile', () => {
    expect([0.5, 0.9, 0.95, 0.999, 0.9995].map((share) => quantileBound(late, share))).toEqual([
      ...[0.0005, 0.0005, 0.02, 0.02, Number.POSITIVE_INFINITY],
    ]);
    expect(quantileBound(difference(late, late), 0.5)).toBeNaN();
  });
});
