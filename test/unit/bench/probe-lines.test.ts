import { describe, expect, it } from 'vitest';
import { densityIn } from '../../../bench/density.ts';
import { readSightings, takesMs } from '../../../bench/latency/probe.ts';
import { quantile } from '../../../bench/quantiles.ts';
import { portsNeeded, readSetUps } from '../../../bench/setup/set-up.ts';

describe('the output of measuring programs', () => {
  it('is parsed by its words', () => {
    const seen = readSightings([
      'frame 100',
      'heard 1000 3500',
      'packet 120',
      'said 5 25',
      'cleared 7 9 1',
      'frame 200',
    ]);
    expect(takesMs(seen.heard)).toEqual([2.5]);
    expect([seen.said, seen.cleared]).toEqual([[{ sentUs: 5, cameUs: 25 }], [{ sentUs: 7, cameUs: 9 }]]);
    expect([seen.framesUs, seen.packetsUs, seen.crossed]).toEqual([[100, 200], [120], []]);
  });

  it('keeps unanswered calls, in the order of their INVITEs', () => {
    expect(readSetUps(['2000 1500 9000 200', '1000 -1 -1 503'])).toEqual([
      { begunMs: 1, answeredMs: null, heardMs: null, status: 503 },
      { begunMs: 2, answeredMs: 1.5, heardMs: 9, status: 200 },
    ]);
  });

  it('needs two ports for each line that is busy at the same time', () => {
    expect(portsNeeded({ perSecond: 20, seconds: 5, holdMs: 500 })).toBe(2 * (30 + 8));
  });

  it('gives quantiles', () => {
    expect([0.5, 0.75, 1].map((share) => quantile([4, 1, 3, 2], share))).toEqual([2, 3, 4]);
    expect(quantile([], 0.5)).toBeNaN();
  });

  it('takes the density from the last `calls` result, or else assumes one', () => {
    const measure = { name: 'most calls held on one core', unit: 'calls', ours: [400, 420, 440] };
    const calls = { date: '2026-01-02T00:00:00Z', measures: [measure] };
    expect(densityIn({ calls } as never)).toEqual({ calls: 420, source: 'found by `calls` on 2026-01-02' });
    expect(densityIn({}).source).toContain('assumed');
  });
});
