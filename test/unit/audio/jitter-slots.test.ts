import { describe, expect, it } from 'vitest';
import { JitterSlots, SLOTS } from '../../../src/audio/jitter-slots.ts';

const MAX_PAYLOAD_BYTES = 480;

function packet(sequenceNumber: number, payloadLength: number) {
  const bytes = new Uint8Array(12 + payloadLength).fill(sequenceNumber & 0xff, 12);
  return { bytes, sequenceNumber, timestamp: sequenceNumber * 160, payloadOffset: 12, payloadLength };
}

function payloadOf(slots: JitterSlots, sequence: number): number[] {
  const at = slots.payloadOffset(sequence);
  return [...slots.bytes.subarray(at, at + slots.payloadLength(sequence))];
}

describe('jitter slots', () => {
  it('keep every payload while their storage grows in number and in length', () => {
    const slots = new JitterSlots(MAX_PAYLOAD_BYTES);
    const lengths = Array.from({ length: SLOTS }, (_, i) => [80, 160, 240, MAX_PAYLOAD_BYTES][i >> 4] ?? 0);
    for (const [i, length] of lengths.entries()) slots.put(i, packet(i, length), 160, 0);
    for (const [i, length] of lengths.entries()) {
      expect(payloadOf(slots, i)).toEqual(new Array(length).fill(i));
    }
    expect(slots.heldSamples).toBe(SLOTS * 160);
  });

  it('do not grow on a stream that is consumed as it arrives', () => {
    const slots = new JitterSlots(MAX_PAYLOAD_BYTES);
    const { bytes } = slots;
    for (let i = 0; i < 1_000; i++) {
      slots.put(i, packet(i, 160), 160, 0);
      if (i < 7) continue;
      expect(payloadOf(slots, i - 7)).toEqual(new Array(160).fill((i - 7) & 0xff));
      slots.remove(i - 7);
      expect([slots.holds(i - 7), slots.hasSeen(i - 7)]).toEqual([false, true]);
    }
    expect(slots.bytes).toBe(bytes);
  });

  it('have their full capacity again after a clear', () => {
    const slots = new JitterSlots(MAX_PAYLOAD_BYTES);
    const { bytes } = slots;
    for (let i = 0; i < 80; i++) {
      if (i % 8 === 0) slots.clear();
      slots.put(i, packet(i, 160), 160, 0);
    }
    expect([slots.heldSamples, slots.bytes === bytes]).toEqual([8 * 160, true]);
  });
});
