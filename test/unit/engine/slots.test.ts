import { describe, expect, it } from 'vitest';
import { SLOTS } from '../../../src/base/frame.ts';
import type { MediaCall } from '../../../src/engine/media-call.ts';
import { Slots } from '../../../src/engine/slots.ts';

/** A call, as seen by slots. */
function callThat(state: { resting: boolean }, sampleRateHz = 8_000): MediaCall {
  return Object.assign(state, { sampleRateHz }) as MediaCall;
}

describe('Slots', () => {
  it('fills a slot with ten calls before it starts another, every other slot first, and then all of them evenly', () => {
    const slots = new Slots();
    const taken = Array.from({ length: 200 }, () => slots.add(callThat({ resting: false })));
    expect(taken.slice(0, 21)).toEqual([...Array(10).fill(0), ...Array(10).fill(2), 4]);
    for (let slot = 0; slot < SLOTS; slot++) expect(slots.awakeIn(slot)).toHaveLength(200 / SLOTS);
  });

  it('lets no two calls at 48 kHz share a slot while there are any others, and then takes the lightest', () => {
    const slots = new Slots();
    const add = (sampleRateHz: number) => slots.add(callThat({ resting: false }, sampleRateHz));
    expect([8_000, 48_000, 48_000, 8_000, 8_000, 8_000, 8_000].map(add)).toEqual([0, 0, 2, 0, 0, 0, 2]);
    expect(Array.from({ length: 18 }, () => add(48_000))).toEqual([
      4, 6, 8, 10, 12, 14, 16, 18, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19,
    ]);
    expect([48_000, 8_000, 8_000].map(add)).toEqual([4, 2, 2]);
  });

  it('gives a freed place to the next call', () => {
    const slots = new Slots();
    const calls = Array.from({ length: 22 }, () => callThat({ resting: false }));
    for (const call of calls) slots.add(call);
    slots.remove(calls[15] as MediaCall);
    expect(slots.awakeIn(2)).toHaveLength(9);
    expect(slots.add(callThat({ resting: false }))).toBe(2);
  });

  it('gives no ticks to a slot whose calls rest, and keeps the slot of each call', () => {
    const slots = new Slots();
    const state = { resting: true };
    const call = callThat(state);
    const slot = slots.add(call);
    expect(slots.isOccupied(slot)).toBe(false);
    state.resting = false;
    slots.settle(call);
    slots.settle(call);
    expect(slots.awakeIn(slot)).toEqual([call]);
    expect(slots.restingTurns).toBe(0);
  });

  it('lets every resting call take a turn once in twenty rounds', () => {
    const slots = new Slots();
    const calls = Array.from({ length: 101 }, () => callThat({ resting: true }));
    for (const call of calls) slots.add(call);
    const turns = new Set<MediaCall | undefined>();
    for (let round = 0; round < 20; round++) {
      for (let turn = 0; turn < slots.restingTurns; turn++) turns.add(slots.nextResting());
    }
    expect(turns).toEqual(new Set(calls));
  });

  it('removes awake, resting and unknown calls', () => {
    const slots = new Slots();
    const [awake, resting] = [callThat({ resting: false }), callThat({ resting: true })];
    const slot = slots.add(awake);
    slots.add(resting);
    slots.remove(awake);
    slots.remove(resting);
    slots.remove(callThat({ resting: false }));
    slots.settle(awake);
    expect([slots.isOccupied(slot), slots.nextResting()]).toEqual([false, undefined]);
  });
});
