import { describe, expect, it } from 'vitest';
import { againstTicks, callPhase, latestTick, tickPhase } from '../../../bench/latency/against-ticks.ts';

const PHASE_US = 1_000_003_000;
const tick = (n: number): number => PHASE_US + n * 20_000;

describe('measuring frames against ticks', () => {
  it('counts from each frame’s own tick, however late it arrives', () => {
    const arrivals = [tick(5) + 400, tick(6) + 26_000, tick(7) + 6_500, tick(8) + 300];
    expect(againstTicks(arrivals, PHASE_US)).toEqual([400, 26_000, 6_500, 300]);
  });

  it('takes ticks as left out once the rhythm stays behind', () => {
    const arrivals = Array.from({ length: 40 }, (_, n) => tick(n < 5 ? n : n + 2) + 200);
    const late = againstTicks(arrivals, PHASE_US);
    expect(late.slice(0, 5)).toEqual([200, 200, 200, 200, 200]);
    expect(late.slice(-20).every((us) => us === 200)).toBe(true);
  });

  it('starts over when frames arrive too early for their count', () => {
    expect(againstTicks([tick(0) + 15_000, tick(0) + 16_000], PHASE_US)).toEqual([15_000, 16_000]);
  });

  it('finds the tick before a time, with a small tolerance', () => {
    expect(latestTick(tick(3) + 19_000 - 1, PHASE_US)).toBe(tick(3));
    expect(latestTick(tick(4) - 500, PHASE_US)).toBe(tick(4));
  });

  it('finds the phase among late frames, also where it wraps around', () => {
    const lateness = [15_000, 100, 0, 150, 11_000, 90, 19_990, 50, 200];
    const arrivals = lateness.map((us, n) => tick(n) + us);
    expect(tickPhase(arrivals)).toBe(tick(6) + 19_990 - 6 * 20_000);
  });
});

describe('the phase of one call among many', () => {
  const SLOT_US = 1_000;
  /** Packets of a call in this slot, each this late. */
  const packets = (slot: number, latenessUs: readonly number[]): number[] =>
    latenessUs.map((lateUs, n) => tick(n) + slot * SLOT_US + lateUs);
  /** Relative to its tick; phases repeat every frame. */
  const afterBase = (phaseUs: number): number => (((phaseUs - PHASE_US) % 20_000) + 20_000) % 20_000;
  const phaseOf = (slot: number, latenessUs: readonly number[], baseUs = PHASE_US): number =>
    afterBase(callPhase(packets(slot, latenessUs), baseUs, SLOT_US));
  const times = (count: number, latenessUs: readonly number[]): number[] =>
    Array.from({ length: count }, () => latenessUs).flat();
  const AT_REST = times(30, [60, 40, 90, 5_000, 55, 70]);
  /** Never less than 0.4 ms late, and two in a hundred almost a whole tick. */
  const UNDER_LOAD = [...times(25, [410, 3_100, 430, 600]), 400, 14_000, 19_700, 19_900, 900];

  it('is its slot, at any position', () => {
    const slots = Array.from({ length: 20 }, (_, slot) => slot);
    expect(slots.map((slot) => phaseOf(slot, AT_REST))).toEqual(slots.map((slot) => slot * SLOT_US));
  });

  it('is its slot under load too, so that a delay of all its packets is seen', () => {
    for (const slot of [0, 7, 19]) {
      expect(phaseOf(slot, UNDER_LOAD)).toBe(slot * SLOT_US);
      const arrivals = packets(slot, UNDER_LOAD);
      expect(againstTicks(arrivals, callPhase(arrivals, PHASE_US, SLOT_US))).toEqual(UNDER_LOAD);
    }
  });

  it('is derived from any tick of any call, and allows a small measurement delay', () => {
    for (const otherSlot of [0, 3, 19])
      for (const frame of [-4, 2_000])
        expect(phaseOf(7, UNDER_LOAD, tick(frame) + otherSlot * SLOT_US)).toBe(7 * SLOT_US);
    for (const lateUs of [90, 250]) expect(phaseOf(7, AT_REST, tick(9) + lateUs)).toBe(7 * SLOT_US + lateUs);
  });

  it('is the common one when all calls tick at once, however late this one is', () => {
    const late = [6_400, 6_430, 9_100, 6_520, 6_900];
    expect(afterBase(callPhase(packets(0, late), PHASE_US, 20_000))).toBe(0);
  });
});
