import { describe, expect, it } from 'vitest';
import { FairShare, type FairShareOptions, type ReleasePlace } from '../../../src/base/fair-share.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Everything that follows without waiting for anything else has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Notes who got a place, in order. */
class Turns {
  readonly clock = new ManualClock();
  readonly share: FairShare;
  readonly order: string[] = [];
  readonly #releases: (readonly [string, ReleasePlace])[] = [];

  constructor(options: Partial<FairShareOptions>) {
    this.share = new FairShare({ clock: this.clock, total: 1, each: 1, mostWaiting: 100, ...options });
  }

  /** Resolves with what was answered. */
  async asks(name: string, withinMs = 60_000): Promise<'given' | 'refused'> {
    const release = await this.share.take(name, withinMs);
    if (release === null) return 'refused';
    this.order.push(name);
    this.#releases.push([name, release]);
    return 'given';
  }

  async ask(name: string, count = 1): Promise<void> {
    for (let n = 0; n < count; n++) void this.asks(name);
    await settled();
  }

  /** Ends the oldest work, or that of somebody. */
  async end(name?: string): Promise<void> {
    const index = name === undefined ? 0 : this.#releases.findIndex(([owner]) => owner === name);
    const [ended] = this.#releases.splice(index, 1);
    ended![1]();
    await settled();
  }

  get held(): string[] {
    return this.#releases.map(([name]) => name);
  }
}

describe('those who are patient', () => {
  it('come after everybody else, of the same owner and of others, and then in turn', async () => {
    const { share } = new Turns({ total: 1, each: 1 });
    const order: string[] = [];
    const wait = async (name: string, what: string, isPatient: boolean) => {
      const release = await share.take(name, 60_000, undefined, isPatient);
      order.push(what);
      release!();
    };
    const busy = share.hold('busy');
    const all = [
      wait('one', 'an edit of one', true),
      wait('one', 'another edit of one', true),
      wait('two', 'an edit of two', true),
      wait('one', 'a text of one', false),
      wait('busy', 'a text of busy', false),
    ];
    await settled();
    busy();
    await Promise.all(all);
    expect(order.slice(0, 2).toSorted()).toEqual(['a text of busy', 'a text of one']);
    expect(order.slice(2)).toEqual(['an edit of two', 'an edit of one', 'another edit of one']);
  });
});

it('the patient leave a reserve free, which others take at once', async () => {
  const { share } = new Turns({ total: 4, each: 4, reserve: 2 });
  const taken = [share.hold('a'), share.hold('a')];
  let isServed = false;
  void share.take('a', 60_000, undefined, true).then(() => {
    isServed = true;
  });
  const text = await share.take('a', 0);
  await settled();
  expect([text, isServed]).toEqual([expect.any(Function), false]);
  text!();
  await settled();
  expect(isServed).toBe(false);
  taken[0]!();
  await settled();
  expect(isServed).toBe(true);
});

describe('places that are short', () => {
  it('can be held beyond what is free by what was admitted before, and then nobody else gets one', () => {
    const { share } = new Turns({ total: 2, each: 2, keepsRoom: true });
    const releases = ['one', 'one', 'two'].map((name) => share.hold(name));
    expect([share.taken, share.hasRoom('three'), share.refused]).toEqual([3, false, 1]);
    for (const release of releases) release();
    expect([share.taken, share.hasRoom('three')]).toEqual([0, true]);
  });

  it('are given at once, or not at all, to who does not wait', async () => {
    const { share } = new Turns({ total: 2, each: 2, keepsRoom: true });
    const release = share.takeNow('busy');
    expect([release, share.takeNow('busy')]).toEqual([expect.any(Function), null]);
    expect([share.taken, share.waiting, share.refused]).toEqual([1, 0, 1]);
    const other = share.takeNow('other');
    release!();
    other!();
    expect(share.taken).toBe(0);
  });

  it('go to whoever has had the least, however much another wants', async () => {
    const turns = new Turns({ total: 2, each: 1 });
    await turns.ask('busy', 5);
    await turns.ask('other');
    await turns.ask('third');
    expect(turns.order).toEqual(['busy', 'other']);
    await turns.end('busy');
    await turns.end('other');
    expect(turns.order).toEqual(['busy', 'other', 'third', 'busy']);
  });

  it('go to somebody new before a hundred who come again and again', async () => {
    const turns = new Turns({ total: 1, each: 1, mostWaiting: 200 });
    const names = Array.from({ length: 100 }, (_, n) => `network ${n}`);
    for (const name of names) await turns.ask(name);
    for (let n = 0; n < 150; n++) {
      await turns.ask(names[n % 100]!);
      await turns.end();
    }
    await turns.ask('owner');
    await turns.end();
    expect(turns.order.at(-1)).toBe('owner');
  });

  it('are all for one owner while nobody else wants any', async () => {
    const turns = new Turns({ total: 4, each: 4 });
    await turns.ask('one', 5);
    expect([turns.held.length, turns.share.waiting]).toEqual([4, 1]);
  });

  it('are never more than an owner’s limit, whatever is free', async () => {
    const turns = new Turns({ total: 10, each: 2 });
    await turns.ask('one', 3);
    expect(turns.held).toEqual(['one', 'one']);
    await turns.end();
    expect(turns.held).toEqual(['one', 'one']);
  });

  it('forget what was used some minutes ago', async () => {
    const turns = new Turns({ total: 1, each: 1 });
    for (let n = 0; n < 8; n++) {
      await turns.ask('former');
      await turns.end();
    }
    turns.clock.advance(10 * 60_000);
    for (let n = 0; n < 2; n++) {
      await turns.ask('recent');
      await turns.end();
    }
    for (const name of ['holder', 'recent', 'former']) await turns.ask(name);
    await turns.end();
    expect(turns.held).toEqual(['former']);
  });
});

describe('places that are held for long', () => {
  const LONG = { total: 12, each: 12, keepsRoom: true } as const;

  it.each([
    [1, 6],
    [2, 4],
    [3, 3],
  ])('leave room for the next: %i greedy owners hold %i each', async (owners, each) => {
    const turns = new Turns(LONG);
    for (let n = 0; n < 20; n++)
      for (let owner = 0; owner < owners; owner++) await turns.ask(`owner ${owner}`);
    for (let owner = 0; owner < owners; owner++)
      expect(turns.held.filter((name) => name === `owner ${owner}`)).toHaveLength(each);
    await turns.ask('quiet');
    expect(turns.held).toContain('quiet');
  });

  it('begin at once for a seventh, while six hold and want all of five hundred', async () => {
    const turns = new Turns({ ...LONG, total: 500, each: 500, mostWaiting: 10_000 });
    for (let owner = 0; owner < 6; owner++) await turns.ask(`owner ${owner}`, 500);
    expect(await turns.asks('seventh')).toBe('given');
  });

  it('are all used in the end, one by each', async () => {
    const turns = new Turns(LONG);
    for (let n = 0; n < 13; n++) await turns.ask(`owner ${n}`);
    expect([turns.share.taken, turns.share.waiting]).toEqual([12, 1]);
  });
});

describe('a wait', () => {
  it('ends at once when its signal aborts, is not counted as refused, and takes no place', async () => {
    const turns = new Turns({ total: 1 });
    await turns.ask('one');
    const leaving = new AbortController();
    const left = turns.share.take('two', 60_000, leaving.signal);
    leaving.abort();
    expect(await left).toBeNull();
    expect(await turns.share.take('two', 60_000, leaving.signal)).toBeNull();
    expect(turns.share).toMatchObject({ taken: 1, waiting: 0, refused: 0 });
    await turns.end();
    expect(turns.share.taken).toBe(0);
  });

  it('that has its place does not lose it when its signal aborts later', async () => {
    const turns = new Turns({ total: 1 });
    await turns.ask('one');
    const leaving = new AbortController();
    const waiting = turns.share.take('two', 60_000, leaving.signal);
    await turns.end();
    const release = await waiting;
    leaving.abort();
    expect(turns.share.taken).toBe(1);
    release!();
    expect(turns.share.taken).toBe(0);
  });

  it('ends without a place when it takes too long, and is counted', async () => {
    const turns = new Turns({ total: 1 });
    await turns.ask('one');
    const waiting = turns.asks('two', 1_000);
    turns.clock.advance(1_000);
    expect(await waiting).toBe('refused');
    expect(turns.share).toMatchObject({ taken: 1, waiting: 0, refused: 1 });
    await turns.end();
    expect(turns.share.taken).toBe(0);
  });

  it('of the greediest ends when too many wait', async () => {
    const turns = new Turns({ total: 1, mostWaiting: 3 });
    await turns.ask('greedy');
    const greedy = [turns.asks('greedy'), turns.asks('greedy'), turns.asks('greedy')];
    void turns.asks('quiet');
    expect(await greedy[2]).toBe('refused');
    await turns.end();
    expect(turns.held).toEqual(['quiet']);
  });

  it('of somebody new lasts in a rush of many who have all been refused before', async () => {
    const turns = new Turns({ total: 1, mostWaiting: 5 });
    for (let n = 0; n < 60; n++) await turns.ask(`network ${n % 30}`);
    await turns.end();
    await turns.ask('network 29');
    const owner = turns.asks('owner');
    for (let n = 0; n < 30; n++) await turns.ask(`network ${n}`);
    for (let n = 0; n < 5; n++) await turns.end();
    expect(await owner).toBe('given');
  });

  it('costs an owner nothing that it gives back twice', async () => {
    const share = new FairShare({ clock: new ManualClock(), total: 1, each: 1, mostWaiting: 1 });
    const release = await share.take('one', 1_000);
    release?.();
    release?.();
    expect(share.taken).toBe(0);
  });
});

it('goes on after work that fails, and says why work was not done', async () => {
  const clock = new ManualClock();
  const share = new FairShare({ clock, total: 1, each: 1, mostWaiting: 10 });
  const limits = { withinMs: 1_000, refusal: () => new Error('too much') };
  const failing = share.run('one', limits, async () => await Promise.reject(new Error('it failed')));
  await expect(failing).rejects.toThrow('it failed');
  expect(await share.run('one', limits, async () => 'done')).toBe('done');
  await share.take('one', 1_000);
  const late = share.run('two', limits, async () => 'done');
  clock.advance(1_000);
  await expect(late).rejects.toThrow('too much');
});
