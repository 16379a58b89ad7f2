import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Playout } from '../../../src/engine/playout.ts';
import { NO_MARK } from '../../../src/rings/ring-consumer.ts';
import { ringMemory } from '../../../src/rings/ring-layout.ts';
import { RingProducer } from '../../../src/rings/ring-producer.ts';
import { Uplink } from '../../../src/threads/uplink.ts';
import { noise, speech } from '../../support/speech-signal.ts';
import { roomyQueue } from '../threads/roomy-queue.ts';

const ROOM_HZ = 8_000;
const FRAME = 160;

/** A playout with both sides under the test's control; records all that was played. */
class Bench {
  readonly memory = ringMemory(2 ** 17);
  readonly ring = new RingProducer(this.memory);
  playout = new Playout(this.memory, ROOM_HZ);
  readonly frame = new Int16Array(FRAME);
  readonly played: number[] = [];
  readonly marks: { readonly markId: number; readonly atSample: number }[] = [];

  say(samples: Int16Array, rateHz = ROOM_HZ): void {
    expect(this.ring.write(samples, 0, samples.length, rateHz)).toBe(samples.length);
  }

  clear(): void {
    this.playout.clear(this.ring.position, this.ring.notesWritten);
  }

  /** One tick; true when the agent was audible. */
  tick(): boolean {
    this.frame.fill(-1);
    const voiced = this.playout.pull(this.frame);
    if (voiced) this.played.push(...this.frame);
    for (let markId = this.playout.takeDueMark(); markId !== NO_MARK; markId = this.playout.takeDueMark()) {
      this.marks.push({ markId, atSample: this.played.length });
    }
    return voiced;
  }

  ticks(count: number): number {
    let voiced = 0;
    for (let i = 0; i < count; i++) if (this.tick()) voiced++;
    return voiced;
  }
}

function ramp(length: number, from = 1): Int16Array {
  return Int16Array.from({ length }, (_, i) => 1 + ((from + i - 1) % 30_000));
}

function tone(length: number, rateHz: number, hz = 400): Int16Array {
  return Int16Array.from({ length }, (_, n) => 8_000 * Math.sin((2 * Math.PI * hz * n) / rateHz));
}

describe('playout', () => {
  it('plays the same samples however the stream is split into messages', () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 900 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(cuts, (lengths) => {
        const whole = ramp(lengths.reduce((sum, length) => sum + length, 0));
        const bench = new Bench();
        let from = 0;
        for (const length of lengths) {
          bench.say(whole.subarray(from, from + length));
          from += length;
        }
        bench.ticks(Math.ceil(whole.length / FRAME) + 5);
        expect(bench.played.slice(0, whole.length)).toEqual([...whole]);
        expect(bench.played.slice(whole.length).every((sample) => sample === 0)).toBe(true);
        expect(bench.played.length - whole.length).toBeLessThan(FRAME);
        expect(bench.playout.playedMs).toBeCloseTo(whole.length / 8, 6);
      }),
    );
  });

  it.each([8_000, 11_025, 16_000, 22_050, 24_000, 44_100, 48_000])(
    'plays one second written at %i Hz as one second, however it is split',
    (rateHz) => {
      const whole = tone(rateHz, rateHz);
      const [atOnce, inPieces] = [new Bench(), new Bench()];
      atOnce.say(whole, rateHz);
      for (let from = 0; from < whole.length; from += 1_237) {
        inPieces.say(whole.subarray(from, from + 1_237), rateHz);
      }
      expect(atOnce.ticks(60)).toBe(inPieces.ticks(60));
      expect(atOnce.played).toEqual(inPieces.played);
      expect(atOnce.played.length).toBeGreaterThanOrEqual(ROOM_HZ);
      expect(atOnce.played.length).toBeLessThanOrEqual(ROOM_HZ + FRAME);
      const middle = atOnce.played.slice(800, 7_200);
      const rms = Math.sqrt(middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length);
      expect(rms).toBeCloseTo(8_000 / Math.SQRT2, -2);
    },
  );

  it('starts at the next tick when three frames are queued, and after 60 ms otherwise', () => {
    const burst = new Bench();
    burst.say(ramp(3 * FRAME));
    expect(burst.tick()).toBe(true);
    const little = new Bench();
    little.say(ramp(10));
    expect(Array.from({ length: 5 }, () => little.tick())).toEqual([false, false, false, true, false]);
  });

  it('buffers longer after underruns in mid-stream, up to 120 ms, and less again later', () => {
    const bench = new Bench();
    const startDelays: number[] = [];
    for (let i = 0; i < 8; i++) {
      bench.say(ramp(10));
      let delay = 1;
      while (!bench.tick()) delay++;
      startDelays.push(delay);
      while (bench.tick());
    }
    expect(startDelays[0]).toBe(4);
    expect(startDelays.at(-1)).toBe(7);
    expect(bench.playout.underruns).toBe(7);
    bench.ticks(20);
    bench.say(ramp(100_000));
    bench.ticks(700);
    bench.ticks(20);
    bench.say(ramp(10));
    let delay = 1;
    while (!bench.tick()) delay++;
    expect(delay).toBeLessThan(7);
  });

  it('fades a stream in that goes on in mid-sound after an underrun, and no other', () => {
    const bench = new Bench();
    const loud = new Int16Array(3 * FRAME).fill(8_000);
    const begin = () => {
      bench.say(loud);
      bench.ticks(9);
      return bench.played.splice(0).slice(0, FRAME);
    };
    expect(begin()).toEqual(Array(FRAME).fill(8_000));
    const resumed = begin();
    expect(resumed[0]).toBeLessThan(300);
    expect(resumed.slice(0, 40)).toEqual(resumed.slice(0, 40).toSorted((a, b) => a - b));
    expect(resumed.slice(40)).toEqual(Array(FRAME - 40).fill(8_000));
    bench.ticks(60);
    expect(begin()).toEqual(Array(FRAME).fill(8_000));
  });

  it('reports a mark after the frame with the last sample before it', () => {
    const bench = new Bench();
    bench.say(ramp(400));
    bench.ring.writeMark(1);
    bench.say(ramp(100));
    bench.ring.writeMark(2);
    bench.ticks(10);
    expect(bench.marks).toEqual([
      { markId: 1, atSample: 480 },
      { markId: 2, atSample: 640 },
    ]);
    bench.ring.writeMark(3);
    bench.tick();
    expect(bench.marks.at(-1)?.markId).toBe(3);
  });

  it('fades cleared audio out within 5 ms and forgets its marks', () => {
    const bench = new Bench();
    bench.say(new Int16Array(8_000).fill(10_000));
    bench.ring.writeMark(1);
    bench.ticks(3);
    bench.clear();
    bench.ring.writeMark(2);
    expect(bench.playout.fading).toBe(true);
    bench.ticks(5);
    expect(bench.playout.fading).toBe(false);
    const last = bench.played.slice(3 * FRAME);
    expect(last).toHaveLength(FRAME);
    expect(last.slice(0, 40).every((sample, i) => sample > 0 && sample <= (last[i - 1] ?? 10_000))).toBe(
      true,
    );
    expect(last.slice(40).every((sample) => sample === 0)).toBe(true);
    expect(bench.playout.playedMs).toBeCloseTo(65, 6);
    expect(bench.playout.droppedMs).toBeCloseTo(935, 6);
    expect(bench.marks.map(({ markId }) => markId)).toEqual([2]);
  });

  it('neither fades nor drops audio written after the clear', () => {
    const bench = new Bench();
    bench.say(new Int16Array(FRAME).fill(10_000));
    bench.say(new Int16Array(FRAME + 10).fill(10_000));
    bench.ticks(2);
    const { position, notesWritten } = bench.ring;
    bench.say(new Int16Array(FRAME * 3).fill(-500));
    bench.playout.clear(position, notesWritten);
    bench.ticks(10);
    expect(bench.played.filter((sample) => sample === -500)).toHaveLength(FRAME * 3);
    expect(
      bench.played.slice(2 * FRAME, 3 * FRAME).filter((sample) => sample > 0).length,
    ).toBeLessThanOrEqual(10);
  });

  it('reports a mark only when the resampler has output the audio before it', () => {
    const bench = new Bench();
    bench.say(tone(221, 11_025), 11_025);
    bench.ring.writeMark(1);
    bench.ticks(5);
    expect(bench.marks).toEqual([{ markId: 1, atSample: 2 * FRAME }]);
  });

  it('accounts for every millisecond in any order of writes, clears, ticks and worker changes', () => {
    const action = fc.oneof(
      fc.record({
        say: fc.integer({ min: 1, max: 3_000 }),
        rateHz: fc.constantFrom(8_000, 16_000, 24_000, 44_100),
      }),
      fc.record({ ticks: fc.integer({ min: 1, max: 12 }) }),
      fc.constant('clear' as const),
    );
    fc.assert(
      fc.property(fc.array(action, { maxLength: 40 }), (actions) => {
        const bench = new Bench();
        let saidMs = 0;
        for (const one of actions) {
          if (one === 'clear') bench.clear();
          else if ('ticks' in one) bench.ticks(one.ticks);
          else {
            bench.say(tone(one.say, one.rateHz), one.rateHz);
            saidMs += (one.say * 1000) / one.rateHz;
          }
          const takenMs = bench.playout.playedMs + bench.playout.droppedMs;
          expect(takenMs).toBeLessThanOrEqual(saidMs + 1e-6);
        }
        bench.clear();
        bench.ticks(2);
        expect(bench.playout.playedMs + bench.playout.droppedMs).toBeCloseTo(saidMs, 6);
        expect(bench.playout.playedMs).toBeLessThanOrEqual((bench.played.length * 1000) / ROOM_HZ + 1e-6);
      }),
      { numRuns: 200 },
    );
  });

  it('shortens a real-time stream that drifts ahead, and spares a burst', () => {
    const drifting = new Bench();
    const quiet = new Int16Array(FRAME).fill(3);
    drifting.say(new Int16Array(5 * FRAME).fill(3));
    for (let i = 0; i < 3_000; i++) {
      drifting.tick();
      drifting.say(quiet);
      if (i % 500 === 499) drifting.say(quiet);
    }
    expect(drifting.playout.shortenedMs).toBeGreaterThanOrEqual(80);
    expect(drifting.playout.shortenedMs).toBeLessThanOrEqual(140);
    const burst = new Bench();
    burst.say(new Int16Array(100_000).fill(3));
    burst.ticks(600);
    expect(burst.playout.shortenedMs).toBe(0);
  });

  it.each(['speech', 'noise'] as const)(
    'is back within 20 ms three seconds after a stall of 300 ms in %s',
    (kind) => {
      const bench = new Bench();
      const sound =
        kind === 'speech'
          ? speech('We charge six pounds fifty for each box.', ROOM_HZ)
          : noise(20_000, ROOM_HZ, -30);
      let at = 0;
      const live = (ticks: number): number => {
        for (let i = 0; i < ticks; i++, at += FRAME) {
          bench.say(sound.slice(at % (sound.length - FRAME), (at % (sound.length - FRAME)) + FRAME));
          bench.tick();
        }
        return bench.ring.queuedSamples / 8;
      };
      const beforeMs = live(150);
      bench.ticks(15);
      for (let i = 0; i < 14; i++, at += FRAME) bench.say(sound.slice(0, FRAME));
      expect(live(1)).toBeGreaterThan(200);
      expect(live(150)).toBeLessThanOrEqual(beforeMs + 20);
      expect(bench.playout.playedMs + bench.ring.queuedSamples / 8).toBeCloseTo((at + 0) / 8, 0);
    },
  );

  it('conceals what is missing of a live stream, goes on at once and lengthens it until enough is queued', () => {
    const bench = new Bench();
    const voice = tone(40_000, ROOM_HZ, 200);
    let at = 0;
    const live = (ticks: number): void => {
      for (let i = 0; i < ticks; i++, at += FRAME) {
        bench.say(voice.slice(at, at + FRAME));
        bench.tick();
      }
    };
    live(100);
    bench.ticks(3);
    expect(bench.ring.queuedSamples).toBe(0);
    expect(bench.ticks(2)).toBe(2);
    const concealed = bench.played.slice(-2 * FRAME, -FRAME);
    expect(Math.max(...concealed)).toBeGreaterThan(3_000);
    live(1);
    expect(bench.frame.some((sample) => sample > 3_000)).toBe(true);
    expect(bench.playout.underruns).toBe(1);
    live(40);
    expect(bench.playout.lengthenedMs).toBeGreaterThan(20);
    expect(bench.ring.queuedSamples / 8).toBeGreaterThanOrEqual(20);
  });

  it.each([200, 600, 2_000])('spares a stream that is sent %i ms ahead', (leadMs) => {
    const bench = new Bench();
    bench.say(new Int16Array(leadMs * 8).fill(3));
    for (let i = 0; i < 2_000; i++) {
      bench.tick();
      bench.say(new Int16Array(FRAME).fill(3));
    }
    expect(bench.playout.shortenedMs).toBe(0);
  });

  it('leaves a stream that is sent in pieces of 200 ms half a piece more than its target', () => {
    const bench = new Bench();
    bench.say(new Int16Array(15 * FRAME).fill(3));
    const leastMs: number[] = [];
    for (let i = 0; i < 2_000; i++) {
      bench.tick();
      leastMs.push(bench.ring.queuedSamples / 8);
      if (i % 10 === 0) bench.say(new Int16Array(10 * FRAME).fill(3));
      if (i === 500) bench.say(new Int16Array(10 * FRAME).fill(3));
    }
    expect(bench.playout.shortenedMs).toBeGreaterThan(100);
    expect(Math.min(...leastMs)).toBeGreaterThan(100);
  });

  it.each([24_000, 48_000])('spares a burst at %i Hz that is queued behind its ring', (rateHz) => {
    const uplink = new Uplink(roomyQueue());
    const playout = new Playout(uplink.memory, ROOM_HZ);
    const frame = new Int16Array(FRAME);
    uplink.write(new Int16Array(15 * rateHz).fill(3), rateHz);
    for (let tick = 0; tick < 700; tick++) {
      playout.pull(frame);
      uplink.advance();
    }
    expect(playout.shortenedMs).toBe(0);
  });
});
