import { describe, expect, it } from 'vitest';
import { attainmentOf, xOf } from '../../../../bench/report/attainment.ts';
import { judge } from '../../../../bench/report/judgement.ts';
import { median, ratios, spread } from '../../../../bench/report/statistics.ts';

const measure = { name: 'calls', unit: 'calls' };

describe('statistics', () => {
  it('use the middle value, and the mean of the middle two', () => {
    expect(median([9, 1, 3])).toBe(3);
    expect(median([4, 1, 2, 100])).toBe(3);
    expect(median([])).toBeNaN();
  });

  it('do not reorder their input', () => {
    const values = [3, 1, 2];
    median(values);
    expect(values).toEqual([3, 1, 2]);
  });

  it('compare values round by round', () => {
    expect(ratios([2, 9], [1, 3])).toEqual([2, 3]);
    expect(ratios([2, 9, 5], [1, 3])).toEqual([2, 3]);
    expect(spread([2, 3, 1])).toEqual({ lowest: 1, highest: 3 });
  });
});

describe('a judgement', () => {
  it('uses the ratio of the medians', () => {
    const verdict = judge({
      ...measure,
      ours: [10, 30, 20],
      anchor: { name: 'other', values: [10, 10, 40] },
      target: { atLeast: 2 },
    });
    expect(verdict).toMatchObject({ ours: 20, anchor: 10, ratio: 2, reached: true });
    expect(verdict.ratioSpread).toEqual({ lowest: 0.5, highest: 3 });
  });

  it('uses our median where there is no anchor', () => {
    expect(judge({ ...measure, ours: [63, 64, 65], target: { atMost: 64 } }).reached).toBe(true);
    expect(judge({ ...measure, ours: [63, 65, 65], target: { atMost: 64 } }).reached).toBe(false);
  });

  it('is left open without its anchor, and negative without values', () => {
    const anchor = { name: 'other', missing: 'apt-get install other' };
    expect(judge({ ...measure, ours: [1], anchor, target: { atLeast: 1 } }).reached).toBeNull();
    expect(judge({ ...measure, ours: [], target: { atMost: 1 } }).reached).toBe(false);
  });
});

describe('an attainment', () => {
  it('is above one when the target is reached, in either direction', () => {
    expect(attainmentOf({ ...measure, ours: [1, 2, 4], target: { atMost: 4 } })).toEqual({
      value: 2,
      lowest: 1,
      highest: 4,
    });
    expect(attainmentOf({ ...measure, ours: [3], target: { atLeast: 4 } })?.value).toBe(0.75);
    expect(attainmentOf({ ...measure, ours: [-0.1, 0, 2], target: { atMost: 4 } })).toEqual({
      value: Number.POSITIVE_INFINITY,
      lowest: 2,
      highest: Number.POSITIVE_INFINITY,
    });
  });

  it('is in the middle of the scale at one', () => {
    const scale = { left: 100, width: 200 };
    expect([0.1, 1, 10, 1_000, 0].map((value) => xOf(value, scale))).toEqual([100, 200, 300, 300, 100]);
  });
});
