import { describe, expect, it } from 'vitest';
import { againstTicks, latestTick, tickPhase } from '../../../bench/latency/against-ticks.ts';

const PHASE_US = 1_000_003_000;
const tick = (n: number): number => PHASE_US + n * 20_000;

describe('frames against ticks', () => {
  it('counts from each frame’s own tick, however late it comes', () => {
    const arrivals = [tick(5) + 400, tick(6) + 26_000, tick(7) + 6_500, tick(8) + 300];
    expect(againstTicks(arrivals, PHASE_US)).toEqual([400, 26_000, 6_500, 300]);
  });

  it('takes ticks that were left out for what they are once the rhythm stays behind', () => {
    const arrivals = Array.from({ length: 40 }, (_, n) => tick(n < 5 ? n : n + 2) + 200);
    const late = againstTicks(arrivals, PHASE_US);
    expect(late.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(late.slice(-20).every((us) => us === 200)).toBe(true);
  });

  it('begins anew when frames come too early for their count', () => {
    expect(againstTicks([tick(0) + 15_000, tick(0) + 16_000], PHASE_US)).toEqual([15_000, 16_000]);
  });

  it('finds the tick before a time, and takes a hair after it as before', () => {
    expect(latestTick(tick(3) + 19_000 - 1, PHASE_US)).toBe(tick(3));
    expect(latestTick(tick(4) - 500, PHASE_US)).toBe(tick(4));
  });

  it('finds the phase among late frames, also where the crowd lies across the end of the round', () => {
    const lateness = [15_000, 100, 0, 150, 11_000, 90, 19_990, 50, 200];
    const arrivals = lateness.map((us, n) => tick(n) + us);
    expect(tickPhase(arrivals)).toBe(tick(6) + 19_990 - 6 * 20_000);
  });
});
