import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ExpectedLoss } from '../../../../src/rtp/sending/rtp-sender.ts';

/** The expected loss after each of these reports. */
function percents(...shares: number[]): number[] {
  const loss = new ExpectedLoss();
  return shares.map((share) => {
    loss.report(share);
    return loss.percent;
  });
}

describe('ExpectedLoss', () => {
  it('is zero before the first report, and for a single packet in 250', () => {
    expect(new ExpectedLoss().percent).toBe(0);
    expect(percents(1 / 256, 0, 1 / 256, 1 / 256, 0)).toEqual([0, 0, 0, 0, 0]);
  });

  it('follows repeated reports, within the range that libopus uses', () => {
    expect(percents(0.12, 0.12, 0.12, 0.12, 0.12).at(-1)).toBe(12);
    expect(percents(0.03, 0.03)).toEqual([0, 6]);
    expect(percents(0.9, 0.9)).toEqual([25, 25]);
  });

  it('decays after a few clean reports', () => {
    expect(percents(0.04, 0, 0, 0)).toEqual([6, 6, 0, 0]);
    expect(percents(0.5, 0, 0, 0, 0, 0)).toEqual([25, 13, 6, 6, 6, 0]);
  });

  it('does not flap with occasional losses', () => {
    expect(percents(0.05, 0.015, 0.015, 0.015, 0.015)).toEqual([6, 6, 6, 6, 6]);
    expect(percents(0.015, 0.015, 0.015, 0.015)).toEqual([0, 0, 0, 0]);
  });

  it('reports whether it has changed', () => {
    const loss = new ExpectedLoss();
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), (share) => {
        const before = loss.percent;
        expect(loss.report(share)).toBe(loss.percent !== before);
        expect(loss.percent === 0 || (loss.percent >= 6 && loss.percent <= 25)).toBe(true);
      }),
    );
  });
});
