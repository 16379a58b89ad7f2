import { beforeEach, describe, expect, it } from 'vitest';
import { ReadingRefused, ReadingTime } from '../../../src/base/reading-time.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const NEVER = new AbortController().signal;
/** Everything that follows without waiting for anything else has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

let clock: ManualClock;
let time: ReadingTime;

beforeEach(() => {
  clock = new ManualClock();
  time = new ReadingTime(clock);
});

/** Streams without end, whose pieces take two milliseconds each. Counts the time that they take. */
class Streams {
  usedMs = 0;

  constructor(accountId: string, count: number) {
    for (let n = 0; n < count; n++) void this.#read(accountId);
  }

  async #read(accountId: string): Promise<void> {
    const reader = time.of(accountId);
    for (;;) {
      await reader.turn(NEVER);
      const sinceMs = clock.monotonicMs();
      clock.leap(2);
      reader.count(sinceMs);
      this.usedMs += 2;
      await settled();
    }
  }
}

async function pass(durationMs: number): Promise<void> {
  const untilMs = clock.monotonicMs() + durationMs;
  while (clock.monotonicMs() < untilMs) {
    await settled();
    clock.advance(1);
  }
}

/** Lets an account owe more than its allowance. */
function overdraw(accountId: string): void {
  for (let n = 0; n < 3; n++) {
    const sinceMs = clock.monotonicMs();
    clock.leap(10);
    time.of(accountId).count(sinceMs);
  }
}

describe('the time for what is streamed', () => {
  it('is a third of the thread for one account alone, however many its streams are', async () => {
    const one = new Streams('one', 50);
    await pass(5_000);
    expect(one.usedMs).toBeGreaterThan(1_000);
    expect(one.usedMs).toBeLessThan(1_700);
  });

  it('is a tenth of the thread for each of many, and never all of it', async () => {
    const many = Array.from({ length: 8 }, (_, n) => new Streams(`account ${n}`, 10));
    await pass(5_000);
    const usedMs = many.map((streams) => streams.usedMs);
    expect(Math.max(...usedMs)).toBeLessThan(600);
    expect(usedMs.reduce((sum, each) => sum + each)).toBeLessThan(4_500);
  });

  it('is shared alike by accounts with many streams and with one', async () => {
    const many = new Streams('many', 50);
    const single = new Streams('single', 1);
    await pass(5_000);
    expect(single.usedMs).toBeGreaterThan(many.usedMs / 2);
  });

  it('leaves others what they need at once', async () => {
    new Streams('greedy', 50);
    await pass(1_000);
    const honest = time.of('honest');
    for (let n = 0; n < 100; n++) {
      expect(honest.mayReadOn()).toBe(true);
      const sinceMs = clock.monotonicMs();
      clock.leap(0.4);
      honest.count(sinceMs);
      clock.advance(10);
    }
  });

  it('counts no more than a piece can take', async () => {
    const reader = time.of('stalled');
    for (let n = 0; n < 10; n++) {
      const sinceMs = clock.monotonicMs();
      clock.leap(1_000);
      reader.count(sinceMs);
      expect(reader.mayReadOn()).toBe(true);
    }
  });
});

describe('the account that holds up others', () => {
  it('begins no more than one thing in a turn of the event loop, once it has used two milliseconds of it', async () => {
    time.of('quiet').charge(1);
    const greedy = time.of('greedy');
    greedy.charge(2);
    expect(greedy.holdsUpOthers).toBe(true);
    expect(greedy.mayGoOn()).toBe(true);
    greedy.charge(3);
    expect(greedy.mayGoOn()).toBe(false);
    let begun = 0;
    for (let n = 0; n < 3; n++) void greedy.turn(NEVER).then(() => (begun += 1));
    for (let n = 0; n < 20; n++) await Promise.resolve();
    expect(begun).toBe(1);
    await settled();
    expect(begun).toBe(2);
    expect(time.of('quiet').mayGoOn()).toBe(true);
  });
});

describe('a stream that has to rest', () => {
  it('ends its wait with its signal, for its place and in it, and leaves the place to others', async () => {
    overdraw('one');
    const ends = [new AbortController(), new AbortController()];
    const waits = ends.map(({ signal }) => time.of('one').turn(signal).catch(String));
    await settled();
    for (const end of ends) end.abort('enough');
    expect(await Promise.all(waits)).toEqual(['enough', 'enough']);
    clock.advance(1);
    await settled();
    expect(time.share.taken).toBe(0);
    await expect(time.of('one').turn(AbortSignal.abort('late'))).rejects.toBe('late');
  });

  it('is refused when it would wait for too long', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) overdraw(name);
    const never = [...'abcde'].map((name) => time.of(name));
    for (const reader of never) for (let n = 0; n < 400; n++) reader.count(clock.monotonicMs() - 10);
    for (const reader of never) void reader.turn(NEVER);
    await settled();
    const waits = time.of('f').turn(NEVER);
    clock.advance(30_000);
    await expect(waits).rejects.toBeInstanceOf(ReadingRefused);
  });
});

describe('a body', () => {
  /** Reads a body of so many chunks to its end, while time passes. Resolves with the seconds that it took. */
  async function secondsFor(count: number, bytes: number): Promise<number> {
    const body = Array.from({ length: count }, () => new Uint8Array(bytes));
    let isRead = false;
    const reading = (async () => {
      for await (const _ of time.of('one').chunks(body, NEVER)) await settled();
      isRead = true;
    })();
    const beganMs = clock.monotonicMs();
    while (!isRead) {
      await settled();
      clock.advance(1);
    }
    await reading;
    return (clock.monotonicMs() - beganMs) / 1_000;
  }

  it('of 6 MB in the chunks of the network is read at once', async () => {
    expect(await secondsFor(100, 65_536)).toBeLessThan(0.5);
  });

  it('in chunks of one byte takes no more than the share of its account', async () => {
    expect(await secondsFor(5_000, 1)).toBeGreaterThan(0.3);
  });
});
