import { beforeEach, describe, expect, it } from 'vitest';
import { SpeechParty } from '../../../src/engine/speech-party.ts';
import { RingProducer } from '../../../src/rings/ring-producer.ts';
import { SpeechControl } from '../../../src/rings/speech-control.ts';
import { newSpeechRings, type SpeechRings } from '../../../src/rings/speech-rings.ts';
import { EngineStats } from '../../../src/threads/engine-stats.ts';

const ROOM_HZ = 8_000;
const FRAME = 160;
const FADE = 40;
const LEVEL = 8_000;

let rings: SpeechRings;
let control: SpeechControl;
let ring: RingProducer;
let platform: { isTapped: boolean; onHold: boolean; noteGoingOn(): void };
let party: SpeechParty;
const frame = new Int16Array(FRAME);

beforeEach(() => {
  rings = newSpeechRings();
  control = new SpeechControl(rings.control);
  ring = new RingProducer(rings.says);
  platform = { isTapped: false, onHold: false, noteGoingOn() {} };
  party = newParty();
});

function newParty(): SpeechParty {
  return new SpeechParty(rings, { roomRateHz: ROOM_HZ, stats: new EngineStats(), platform });
}

function write(milliseconds: number): void {
  const samples = new Int16Array((ROOM_HZ * milliseconds) / 1000).fill(LEVEL);
  expect(ring.write(samples, 0, samples.length, ROOM_HZ)).toBe(samples.length);
}

/** One tick of the call. Returns the number of samples that were audible. */
function tick(): number {
  const voiced = party.pull(frame);
  party.afterTick();
  return voiced ? frame.filter((sample) => sample !== 0).length : 0;
}

function ticks(count: number): number[] {
  return Array.from({ length: count }, tick);
}

/** Whether each of the ticks woke the bridge thread. */
function wakeUps(count: number): number[] {
  return Array.from({ length: count }, () => {
    tick();
    return Atomics.exchange(new Int32Array(rings.doorbell), 0, 0);
  });
}

describe('hosted speech in the room', () => {
  it('is heard in the tick after its first frame has arrived, to the last sample', () => {
    expect(tick()).toBe(0);
    write(50);
    expect(ticks(4)).toEqual([FRAME, FRAME, FRAME / 2, 0]);
  });

  it('waits for a whole frame, one tick at most', () => {
    write(10);
    expect(ticks(3)).toEqual([0, FRAME / 2, 0]);
  });

  it('is held from the next tick on, and goes on with the next sample', () => {
    const samples = Int16Array.from({ length: 5 * FRAME }, (_, i) => 1 + i);
    expect(ring.write(samples, 0, samples.length, ROOM_HZ)).toBe(samples.length);
    const heard: number[] = [];
    const hear = (count: number): void => {
      for (let i = 0; i < count; i++) if (party.pull(frame)) heard.push(...frame);
    };
    hear(2);
    control.hold();
    hear(50);
    expect(heard.length).toBe(2 * FRAME);
    control.release();
    hear(4);
    expect(heard).toEqual([...samples]);
  });

  it('is dropped without a sound when it is stopped while it is held, and what comes next is not held', () => {
    write(500);
    ticks(2);
    control.hold();
    expect(ticks(3)).toEqual([0, 0, 0]);
    control.ask();
    control.agree(1);
    expect(ticks(3)).toEqual([0, 0, 0]);
    write(40);
    expect(ticks(3)).toEqual([FRAME, FRAME, 0]);
  });

  it('wakes the bridge thread when it starts and stops to play, and every 40 ms in between', () => {
    expect(wakeUps(3)).toEqual([0, 0, 0]);
    write(160);
    expect(wakeUps(10)).toEqual([1, 1, 0, 1, 0, 1, 0, 1, 1, 0]);
  });

  it('wakes the bridge thread every 40 ms while somebody is heard, whether it plays or not', () => {
    platform.isTapped = true;
    expect(wakeUps(4)).toEqual([0, 1, 0, 1]);
    platform.onHold = true;
    expect(wakeUps(4)).toEqual([0, 1, 0, 1]);
    platform.isTapped = false;
    expect(wakeUps(4)).toEqual([0, 0, 0, 0]);
  });

  it('waits while the call is on hold, and goes on where it was', () => {
    write(60);
    expect(tick()).toBe(FRAME);
    platform.onHold = true;
    expect(ticks(3)).toEqual([0, 0, 0]);
    platform.onHold = false;
    expect(ticks(3)).toEqual([FRAME, FRAME, 0]);
  });
});

describe('a stop of hosted speech', () => {
  it('is silent after the fade-out of the next tick, however much is queued', () => {
    write(500);
    ticks(2);
    control.ask();
    const [fade, ...after] = ticks(5);
    expect(fade).toBeGreaterThan(0);
    expect(fade).toBeLessThanOrEqual(FADE);
    expect(after).toEqual([0, 0, 0, 0]);
  });

  it('drops what the bridge thread writes until it agrees, and plays what comes afterwards', () => {
    write(100);
    tick();
    control.ask();
    tick();
    write(100);
    expect(ticks(2)).toEqual([0, 0]);
    expect(control.silenced).toBe(0);
    write(100);
    control.agree(1);
    expect(tick()).toBe(0);
    expect(control.silenced).toBe(1);
    write(20);
    expect(ticks(2)).toEqual([FRAME, 0]);
  });

  it('tells to the millisecond what was heard', () => {
    write(500);
    ticks(7);
    control.agree(1);
    control.ask();
    tick();
    expect(control.silenced).toBe(1);
    expect(control.playedMs).toBe(7 * 20 + 5);
    write(40);
    ticks(1);
    control.agree(2);
    control.ask();
    tick();
    expect(control.playedMs).toBe(7 * 20 + 5 + 20 + 5);
  });

  it('takes effect at once when nothing is played, also on hold', () => {
    platform.onHold = true;
    control.ask();
    control.agree(1);
    expect(tick()).toBe(0);
    expect([control.silenced, control.playedMs]).toEqual([1, 0]);
  });

  it('is carried out by the engine thread that takes over', () => {
    write(200);
    ticks(2);
    control.ask();
    control.agree(1);
    party = newParty();
    expect(ticks(2)).toEqual([0, 0]);
    expect([control.silenced, control.playedMs]).toEqual([1, 40]);
  });
});
