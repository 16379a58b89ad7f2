import { describe, expect, it } from 'vitest';
import { JitterTarget } from '../../../src/audio/jitter-target.ts';

const CLOCK_HZ = 8_000;
const PACKET_MS = 20;

interface Path {
  /** How late the packet that was sent at `sentMs` arrives. */
  lateMs(sentMs: number): number;
}

/** The target after each packet of a path, in the order of arrival. */
function targets({ lateMs }: Path, seconds: number, maxMs = 400) {
  const target = new JitterTarget(CLOCK_HZ, maxMs);
  return Array.from({ length: (seconds * 1000) / PACKET_MS }, (_, i) => i * PACKET_MS)
    .map((sentMs) => ({ sentMs, arrivalMs: sentMs + lateMs(sentMs) }))
    .sort((a, b) => a.arrivalMs - b.arrivalMs)
    .map(({ sentMs, arrivalMs }) => {
      target.observe((sentMs * CLOCK_HZ) / 1000, (PACKET_MS * CLOCK_HZ) / 1000, arrivalMs);
      return { atMs: arrivalMs, targetMs: target.targetMs };
    });
}

/** Holds back what is sent in the first `heldMs` of every period. */
function stalls(heldMs: number, everyMs: number, untilMs = Number.POSITIVE_INFINITY): Path {
  return {
    lateMs: (sentMs) =>
      sentMs >= everyMs && sentMs < untilMs && sentMs % everyMs < heldMs ? heldMs - (sentMs % everyMs) : 0,
  };
}

const random = (sentMs: number, most: number): number => ((sentMs / PACKET_MS) * 7_919) % (most + 1);

describe('the target of a jitter buffer', () => {
  it('is hardly raised by a single stall', () => {
    const after = targets(stalls(300, 10_000), 15);
    expect(
      Math.max(...after.filter(({ atMs }) => atMs > 5_000).map(({ targetMs }) => targetMs)),
    ).toBeLessThanOrEqual(50);
  });

  it('covers stalls that come back, and forgets them within three seconds once they stop', () => {
    const path = targets(stalls(200, 1_000, 10_000), 20);
    const during = path.filter(({ atMs }) => atMs > 4_000 && atMs < 10_000);
    expect(Math.min(...during.map(({ targetMs }) => targetMs))).toBeGreaterThanOrEqual(230);
    const after = path.filter(({ atMs }) => atMs > 9_200 + 3_000);
    expect(Math.max(...after.map(({ targetMs }) => targetMs))).toBeLessThanOrEqual(60);
  });

  it('covers stalls every five seconds from the second on', () => {
    const path = targets(stalls(200, 5_000), 30).filter(({ atMs }) => atMs > 10_500);
    expect(Math.min(...path.map(({ targetMs }) => targetMs))).toBeGreaterThanOrEqual(230);
  });

  it('covers jitter to 200 ms, and is back within three seconds when it ends', () => {
    const path = targets({ lateMs: (sentMs) => (sentMs < 10_000 ? random(sentMs, 200) : 0) }, 16);
    const during = path.filter(({ atMs }) => atMs > 3_000 && atMs < 10_000);
    expect(Math.min(...during.map(({ targetMs }) => targetMs))).toBeGreaterThanOrEqual(200);
    expect(Math.max(...during.map(({ targetMs }) => targetMs))).toBeLessThanOrEqual(280);
    expect(path.find(({ atMs }) => atMs > 13_000)!.targetMs).toBeLessThanOrEqual(60);
  });

  it.each([40, 120, 400])('never exceeds its maximum of %i ms', (maxMs) => {
    const path = targets({ lateMs: (sentMs) => random(sentMs, 900) }, 20, maxMs);
    expect(Math.max(...path.map(({ targetMs }) => targetMs))).toBe(maxMs);
  });
});
