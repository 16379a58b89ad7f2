import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_MARK, RingConsumer } from '../../../src/threads/ring-consumer.ts';
import { Uplink } from '../../../src/threads/uplink.ts';

function numbered(length: number, from: number): Int16Array {
  return Int16Array.from({ length }, (_, i) => (from + i) % 30_000);
}

/** Reads all that is readable: samples as numbers, marks as strings. */
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
  it('keeps order between ring, backlog and marks, whatever the sizes', () => {
    const action = fc.oneof(
      fc.record({ say: fc.integer({ min: 1, max: 12_000 }) }),
      fc.constant('mark' as const),
      fc.constant('tick' as const),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 30 }), (actions) => {
        const uplink = new Uplink();
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

  it('takes a minute of audio behind the ring and says how much more was lost', () => {
    const uplink = new Uplink();
    const second = new Int16Array(8_000);
    let lostMs = 0;
    for (let i = 0; i < 70; i++) lostMs += uplink.write(second, 8_000);
    expect(lostMs + uplink.queuedMs).toBeCloseTo(70_000, 3);
    expect(uplink.queuedMs).toBeCloseTo(60_000 + 512, 3);
  });

  it('forgets the backlog at a clear and names the end of what is in the ring', () => {
    const uplink = new Uplink();
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
