import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_MARK, RingConsumer } from '../../../src/rings/ring-consumer.ts';
import { PlayoutBudget } from '../../../src/threads/playout-budget.ts';
import { Uplink } from '../../../src/threads/uplink.ts';
import { roomyQueue } from './roomy-queue.ts';

function numbered(length: number, from: number): Int16Array {
  return Int16Array.from({ length }, (_, i) => (from + i) % 30_000);
}

/** Reads everything readable: samples as numbers, marks as strings. */
function take(ring: RingConsumer): (number | string)[] {
  const taken: (number | string)[] = [];
  for (;;) {
    for (let markId = ring.takeMark(); markId !== NO_MARK; markId = ring.takeMark())
      taken.push(`mark ${markId}`);
    ring.releaseMarks();
    const piece = new Int16Array(ring.readableSamples());
    if (piece.length === 0) return taken;
    ring.read(piece, 0, piece.length);
    taken.push(...piece);
  }
}

describe('the uplink', () => {
  it('keeps order between ring, backlog and marks, at any sizes', () => {
    const action = fc.oneof(
      fc.record({ say: fc.integer({ min: 1, max: 12_000 }) }),
      fc.constant('mark' as const),
      fc.constant('tick' as const),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const uplink = new Uplink(roomyQueue());
        const ring = new RingConsumer(uplink.memory);
        const sent: (number | string)[] = [];
        const got: (number | string)[] = [];
        let next = 0;
        for (const one of actions) {
          if (one === 'tick') {
            got.push(...take(ring));
            uplink.advance();
          } else if (one === 'mark') {
            expect(uplink.mark(sent.length)).toBe(true);
            sent.push(`mark ${sent.length}`);
          } else {
            const samples = numbered(one.say, next);
            next += one.say;
            expect(uplink.write(samples, 16_000)).toBe(0);
            sent.push(...samples);
          }
        }
        while (got.length < sent.length) {
          const before = got.length;
          got.push(...take(ring));
          uplink.advance();
          got.push(...take(ring));
          expect(got.length).toBeGreaterThan(before);
        }
        expect(got).toEqual(sent);
        expect(uplink.queuedMs).toBeCloseTo(0, 6);
      }),
      { numRuns: 50 },
    );
  });

  it('holds 70 s of audio behind the ring and reports how much more was lost', () => {
    const uplink = new Uplink(roomyQueue());
    const second = new Int16Array(8_000);
    let lostMs = 0;
    for (let i = 0; i < 80; i++) lostMs += uplink.write(second, 8_000);
    expect(lostMs + uplink.queuedMs).toBeCloseTo(80_000, 3);
    expect(uplink.queuedMs).toBeCloseTo(70_000 + 512, 3);
  });

  it('accepts one frame of 1 MB at the lowest rate whole, behind what is queued', () => {
    const uplink = new Uplink(roomyQueue());
    expect(uplink.write(new Int16Array(8_000), 8_000)).toBe(0);
    expect(uplink.write(new Int16Array(1_048_576 / 2), 8_000)).toBe(0);
    expect(uplink.queuedMs).toBeCloseTo(66_536, 3);
  });

  it('drops audio beyond its memory budget, returns what was played, and then accepts more', () => {
    let refused = 0;
    const all = new PlayoutBudget({ totalBytes: 100_000, accountBytes: 100_000, onFull: () => refused++ });
    const uplink = new Uplink(all.queueOf('acc_1'));
    const ring = new RingConsumer(uplink.memory);
    const second = numbered(16_000, 0);
    expect([1, 2, 3, 4, 5].map(() => uplink.write(second, 16_000))).toEqual([0, 0, 0, 0, 1_000]);
    expect(refused).toBe(1);
    const got: unknown[] = [];
    for (let taken = take(ring); taken.length > 0; taken = take(ring)) {
      got.push(...taken);
      uplink.advance();
    }
    expect(got).toEqual([...second, ...second, ...second, ...second]);
    expect(all.takenBytes).toBe(0);
    expect([1, 2, 3, 4].map(() => uplink.write(second, 16_000))).toEqual([0, 0, 0, 0]);
    uplink.clear();
    expect(all.takenBytes).toBe(0);
  });

  it('counts pieces of one sample at their real cost', () => {
    const all = new PlayoutBudget({ totalBytes: 100_000, accountBytes: 100_000, onFull() {} });
    const uplink = new Uplink(all.queueOf('acc_1'));
    uplink.write(new Int16Array(4_096), 8_000);
    let kept = 0;
    for (let n = 0; n < 5_000; n++) if (uplink.write(new Int16Array(1), n % 2 ? 8_000 : 16_000) === 0) kept++;
    expect(kept).toBeLessThan(600);
  });

  it('drops the backlog on a clear and reports the end of what is in the ring', () => {
    const uplink = new Uplink(roomyQueue());
    const ring = new RingConsumer(uplink.memory);
    uplink.write(new Int16Array(16_000), 8_000);
    uplink.mark(1);
    const { point, backlogMs } = uplink.clear();
    uplink.mark(2);
    expect(backlogMs).toBeCloseTo(1_488, 6);
    expect(ring.discardTo(point.position, point.noteCount)).toBeCloseTo(512, 6);
    uplink.write(numbered(3, 5), 8_000);
    expect(take(ring)).toEqual(['mark 2', 5, 6, 7]);
  });
});
