import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  indexOf,
  indices,
  insert,
  newBuffer,
  type PathPacket,
  type Played,
  play,
  stream,
} from './jitter-path.ts';

const steady = () => 30;

function expectIncreasing(numbers: readonly number[]): void {
  for (let i = 1; i < numbers.length; i++) expect(numbers[i]!).toBeGreaterThan(numbers[i - 1]!);
}

function count(played: readonly Played[], pulled: Played['pulled']): number {
  return played.filter((each) => each.pulled === pulled).length;
}

describe('JitterBuffer', () => {
  it('plays a steady stream without a gap, 40 to 80 ms behind', () => {
    const played = play(stream(500, steady), 10_000);
    const started = played.slice(played.findIndex(({ pulled }) => pulled === 'packet'));
    expect(count(started, 'lost') + count(started, 'silence')).toBe(0);
    const heard = indices(played);
    expectIncreasing(heard);
    expect(heard.length).toBeGreaterThan(490);
    const late = started.find(({ index }) => index === 400);
    expect(late!.atMs - (400 * 20 + 30)).toBeLessThanOrEqual(80);
    expect(late!.targetMs).toBe(40);
  });

  it('passes on the packet after a lost one with the loss, when it has arrived and ends the loss', () => {
    const buffer = newBuffer();
    const here = stream(10, steady).filter((_, i) => ![3, 6, 7].includes(i));
    const seen: string[] = [];
    for (let tick = 0; tick < 13; tick++) {
      for (const packet of here) if (packet.index === tick) insert(buffer, packet);
      const pulled = buffer.pull();
      seen.push(`${pulled} ${buffer.payloadLength > 0 ? indexOf(buffer) : 'nothing'}`);
    }
    expect(seen.slice(seen.indexOf('packet 2'))).toEqual([
      'packet 2',
      'lost 4',
      'packet 4',
      'packet 5',
      'lost nothing',
      'lost 8',
      'packet 8',
      'packet 9',
      'lost nothing',
    ]);
  });

  it.each([10, 20, 30, 40, 60])('plays packets of %i ms', (packetMs) => {
    const total = 6_000 / packetMs;
    const played = play(stream(total, steady, { packetMs }), 6_000);
    const started = played.slice(played.findIndex(({ pulled }) => pulled === 'packet'));
    expect(count(started, 'lost') + count(started, 'silence') + count(started, 'idle')).toBe(0);
    expect(indices(played).length * packetMs).toBeGreaterThan(5_800);
  });

  it('absorbs reordering without loss', () => {
    const played = play(
      stream(300, (i) => (i % 3 === 0 ? 55 : 20)),
      6_000,
    );
    const heard = indices(played).filter((index) => index > 50);
    expectIncreasing(heard);
    expect(heard.length).toBeGreaterThan(240);
    expect(
      count(
        played.filter(({ index }) => index > 50),
        'lost',
      ),
    ).toBe(0);
  });

  it('conceals lost packets and stays in time', () => {
    const packets = stream(300, steady).filter(({ index }) => index % 10 !== 5);
    const buffer = newBuffer();
    const played = play(packets, 6_040, buffer);
    expect(count(played, 'lost')).toBe(30);
    expect(buffer.counters).toMatchObject({ lost: 30, concealed: 30, late: 0, duplicate: 0, received: 270 });
    expectIncreasing(indices(played));
  });

  it('counts duplicates and late packets and plays neither', () => {
    const packets = stream(100, steady);
    const twice = packets.map((packet) => ({ ...packet, arrivalMs: packet.arrivalMs + 5 }));
    const far = packets
      .filter(({ index }) => index === 50)
      .map((p) => ({ ...p, arrivalMs: p.arrivalMs + 400 }));
    const buffer = newBuffer();
    const played = play(
      [...packets.filter(({ index }) => index !== 50), ...twice.filter((p) => p.index !== 50), ...far],
      2_200,
      buffer,
    );
    expect(buffer.counters).toMatchObject({ duplicate: 99, late: 1, lost: 1 });
    expectIncreasing(indices(played));
  });

  it('plays silence, not concealment, during pauses of the sender', () => {
    const packets = stream(100, steady).map((packet) =>
      packet.index < 50
        ? packet
        : { ...packet, timestamp: packet.timestamp + 480, arrivalMs: packet.arrivalMs + 60 },
    );
    const buffer = newBuffer();
    const played = play(packets, 2_300, buffer);
    const between = played.filter(({ atMs }) => atMs > 900 && atMs < 1_250);
    expect(count(between, 'silence')).toBeGreaterThan(0);
    expect(buffer.counters.lost).toBe(0);
    expect(indices(played).length).toBe(100);
  });

  it('does not count packets without audio as lost', () => {
    const packets = stream(100, steady).map((packet) =>
      packet.index >= 40 && packet.index < 48 ? { ...packet, durationSamples: 0 } : packet,
    );
    const buffer = newBuffer();
    play(packets, 2_000, buffer);
    expect(buffer.counters.lost).toBe(0);
  });

  it('drops quiet packets first when it holds too much', () => {
    const stall = (i: number) => (i >= 100 && i < 120 ? 430 - (i - 100) * 20 : 30);
    const buffer = newBuffer();
    const played = play(stream(300, stall, { quiet: (i) => i % 2 === 0 }), 6_000, buffer);
    expect(buffer.counters.droppedForDepth).toBeGreaterThan(5);
    const heard = new Set(indices(played));
    const missing = Array.from({ length: 250 }, (_, i) => i).filter((i) => i > 5 && !heard.has(i));
    expect(missing.every((index) => index % 2 === 0)).toBe(true);
  });

  it('drops its initial extra frame at the first quiet packet', () => {
    const buffer = newBuffer();
    const played = play(stream(300, steady, { quiet: (i) => i === 200 }), 6_000, buffer);
    const behindMs = (index: number): number =>
      played.find((each) => each.index === index)!.atMs - (index * 20 + steady());
    expect(behindMs(199) - behindMs(201)).toBe(20);
    expect(behindMs(290)).toBe(behindMs(201));
    expect(buffer.counters).toMatchObject({ droppedForDepth: 1, lost: 0, late: 0, concealed: 0 });
  });

  it.each([1, 14])(
    'drops the extra frame on a path with 4 ms of jitter as well, at least %i ms after the pull',
    (phase) => {
      const buffer = newBuffer();
      const uneven = (i: number): number => 30 + phase + ((i * 37) % 41) / 10;
      const played = play(stream(500, uneven, { quiet: () => true }), 10_000, buffer);
      const settled = played.filter(({ atMs }) => atMs > 3_000);
      expect(settled.every(({ depthMs }) => depthMs <= 40)).toBe(true);
      expect(settled.every(({ pulled }) => pulled === 'packet')).toBe(true);
      expect(buffer.counters).toMatchObject({ droppedForDepth: 1, concealed: 0, late: 0 });
    },
  );

  it('does not count packets that arrived while the listener was late as depth', () => {
    const buffer = newBuffer();
    const everySecondBy70 = (tick: number): number => (tick % 50 === 49 ? 70 : 0);
    const played = play(stream(500, steady, { quiet: () => true }), 10_000, buffer, everySecondBy70);
    const settled = played.filter(({ atMs }) => atMs > 3_000);
    expect(settled.every(({ pulled }) => pulled === 'packet')).toBe(true);
    expect(buffer.counters).toMatchObject({ droppedForDepth: 1, concealed: 0, late: 0 });
  });

  it('forgets the surplus of the previous stream on a restart', () => {
    const buffer = newBuffer();
    const former = play(stream(200, steady), 4_000, buffer).at(-1)!;
    expect(former.depthMs - former.targetMs).toBe(20);
    buffer.restart();
    const threeAtOnce = (i: number): number => -20 * Math.min(i, 2);
    const played = play(stream(50, threeAtOnce, { quiet: () => true }), 1_000, buffer);
    expect(indices(played)[0]).toBe(0);
  });

  it('jumps to a stream whose sequence numbers start over', () => {
    const first = stream(100, steady, { sequence: 100, timestamp: 1_000 });
    const second = stream(100, () => 2_030, { sequence: 40_000, timestamp: 5 }).map((p) => ({
      ...p,
      index: p.index + 100,
    }));
    const heard = indices(play([...first, ...second], 4_200));
    expectIncreasing(heard);
    expect(heard.filter((index) => index >= 100).length).toBeGreaterThan(95);
  });

  it('continues when only the timestamps start over', () => {
    const packets = stream(200, steady, { timestamp: 900_000 }).map((packet) =>
      packet.index < 100 ? packet : { ...packet, timestamp: packet.timestamp - 700_000 },
    );
    const heard = indices(play(packets, 4_200));
    expectIncreasing(heard);
    expect(heard.length).toBeGreaterThan(190);
  });

  it('discards its packets when the sequence numbers jump far ahead', () => {
    const buffer = newBuffer();
    const before = stream(3, steady);
    const after = stream(100, () => 100, { sequence: 900, timestamp: 144_000 });
    const heard = indices(
      play([...before, ...after.map((p) => ({ ...p, index: p.index + 3 }))], 2_600, buffer),
    );
    expect(heard.length + buffer.counters.droppedForDepth).toBe(103);
    expect(buffer.depthMs).toBe(0);
  });

  it('ignores a single sequence number that is far away', () => {
    const buffer = newBuffer();
    const packets = stream(100, steady);
    const stray: PathPacket = { ...packets[50]!, sequenceNumber: 30_000, index: 9_999 };
    const heard = indices(play([...packets, stray], 2_200, buffer));
    expect(heard).not.toContain(9_999);
    expect(heard.length).toBe(100);
  });

  it('raises its target with jitter and lowers it again', () => {
    const jittery = (i: number) => (i < 300 ? 20 + ((i * 37) % 71) : 20);
    const played = play(stream(900, jittery), 18_000);
    const at = (ms: number) => played.find(({ atMs }) => atMs >= ms)!;
    expect(at(5_900).targetMs).toBeGreaterThanOrEqual(90);
    expect(at(5_900).targetMs).toBeLessThanOrEqual(120);
    expect(at(17_900).targetMs).toBe(40);
    const settled = played.filter(({ atMs }) => atMs > 2_000 && atMs < 6_000);
    expect(count(settled, 'lost')).toBeLessThan(settled.length * 0.06);
  });

  it('refuses a payload that is longer than its slots', () => {
    const buffer = newBuffer();
    const read = {
      bytes: new Uint8Array(481),
      sequenceNumber: 1,
      timestamp: 1,
      payloadOffset: 0,
      payloadLength: 481,
    };
    expect(buffer.insert(read, 481, 0)).toBe(false);
    expect(buffer.depthMs).toBe(0);
  });
});

const START = fc.record({
  sequence: fc.integer({ min: 0, max: 0xffff }),
  timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
});
/** Sequence numbers and timestamps that wrap soon after the start, half of the time. */
const WRAPPING = fc.oneof(
  START,
  START.map(() => ({ sequence: 0xffff - 40, timestamp: 0xffff_ffff - 9_000 })),
);

describe('JitterBuffer on any path', () => {
  it('never plays out of order or twice, and holds a bounded number of packets', () => {
    const fate = fc.record({
      lost: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      twice: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
      delayMs: fc.integer({ min: 0, max: 150 }),
      stallMs: fc.oneof(
        { weight: 40, arbitrary: fc.constant(0) },
        { weight: 1, arbitrary: fc.integer({ min: 100, max: 1_500 }) },
      ),
    });
    fc.assert(
      fc.property(
        fc.array(fate, { minLength: 50, maxLength: 250 }),
        WRAPPING,
        fc.constantFrom(10, 20, 30, 60),
        (fates, start, packetMs) => {
          let stalledUntilMs = 0;
          const packets = stream(fates.length, (i) => fates[i]!.delayMs, { ...start, packetMs }).flatMap(
            (packet, i) => {
              // One stall never ends another: packets a hundred places late would look like a restarted sender.
              if (fates[i]!.stallMs > 0)
                stalledUntilMs = Math.max(stalledUntilMs, packet.arrivalMs + fates[i]!.stallMs);
              const arrived = { ...packet, arrivalMs: Math.max(packet.arrivalMs, stalledUntilMs) };
              if (fates[i]!.lost) return [];
              return fates[i]!.twice
                ? [arrived, { ...arrived, arrivalMs: arrived.arrivalMs + 33 }]
                : [arrived];
            },
          );
          const buffer = newBuffer();
          // Packets up to 1.7 s late may have as much before them, and all of it is played.
          const played = play(packets, fates.length * packetMs + 6_000, buffer);
          expectIncreasing(indices(played));
          for (const { depthMs } of played)
            expect(depthMs).toBeLessThanOrEqual(Math.max(64 * packetMs, 1_280));
          const { received, duplicate, late } = buffer.counters;
          expect(received + duplicate + late).toBe(packets.length);
          expect(indices(played).length + buffer.counters.droppedForDepth).toBe(received);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('is back at its target three seconds after a stall', () => {
    const path = fc.record({
      stallMs: fc.integer({ min: 60, max: 1_200 }),
      jitterMs: fc.integer({ min: 0, max: 60 }),
      lostPercent: fc.integer({ min: 0, max: 20 }),
    });
    fc.assert(
      fc.property(
        path,
        WRAPPING,
        fc.constantFrom(10, 20, 30, 60),
        ({ stallMs, jitterMs, lostPercent }, start, packetMs) => {
          const stallAtMs = 3_000;
          const packets = stream(10_000 / packetMs, (i) => (i * 7919) % (jitterMs + 1), {
            ...start,
            packetMs,
          })
            .map((p) => {
              const isHeld = p.arrivalMs >= stallAtMs && p.arrivalMs < stallAtMs + stallMs;
              return isHeld ? { ...p, arrivalMs: stallAtMs + stallMs } : p;
            })
            .filter(({ index }) => (index * 31) % 100 >= lostPercent);
          const played = play(packets, 9_500);
          expectIncreasing(indices(played));
          const after = played.filter(({ atMs }) => atMs > stallAtMs + stallMs + 3_000);
          const leastExcessMs = Math.min(
            ...after.slice(0, 50).map(({ depthMs, targetMs }) => depthMs - targetMs),
          );
          expect(leastExcessMs).toBeLessThanOrEqual(Math.max(40, 1.5 * packetMs + 10));
          const mostExcessMs = Math.max(...after.map(({ depthMs, targetMs }) => depthMs - targetMs));
          expect(mostExcessMs).toBeLessThanOrEqual(jitterMs + 2 * packetMs + 80);
          const heardMs = count(after, 'packet') * packetMs;
          expect(heardMs / (9_500 - stallAtMs - stallMs - 3_000)).toBeGreaterThan(0.7);
        },
      ),
      { numRuns: 300 },
    );
  });

  it('drops markers that arrive before the first audio', () => {
    const buffer = newBuffer();
    const packet = { timestamp: 0, durationSamples: 160, arrivalMs: 0 };
    insert(buffer, { ...packet, index: 0, sequenceNumber: 2, durationSamples: 0 });
    insert(buffer, { ...packet, index: 1, sequenceNumber: 0, durationSamples: 0 });
    for (let i = 0; i < 100; i++) {
      const next = { index: 2 + i, sequenceNumber: 3 + i, timestamp: i * 160, arrivalMs: i * 20 };
      expect(insert(buffer, { ...packet, ...next })).toBe(true);
      buffer.pull();
    }
  });

  it('survives arbitrary numbers', () => {
    const packet = fc.record({
      sequenceNumber: fc.integer({ min: 0, max: 0xffff }),
      timestamp: fc.integer({ min: 0, max: 0xffff_ffff }),
      durationSamples: fc.constantFrom(0, 80, 160, 480),
      arrivalMs: fc.integer({ min: 0, max: 4_000 }),
    });
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 200 }), (packets) => {
        const buffer = newBuffer();
        const played = play(
          packets.map((p, index) => ({ ...p, index })),
          5_000,
          buffer,
        );
        const heard = indices(played);
        expect(new Set(heard).size).toBe(heard.length);
        expect(buffer.depthMs).toBeLessThanOrEqual(64 * 60);
        for (let i = 0; i < 250; i++)
          insert(buffer, {
            index: i,
            sequenceNumber: 500 + i,
            timestamp: i * 160,
            durationSamples: 160,
            arrivalMs: 9_000 + i,
          });
        expect(Array.from({ length: 30 }, () => buffer.pull())).toContain('packet');
      }),
      { numRuns: 100 },
    );
  });
});
