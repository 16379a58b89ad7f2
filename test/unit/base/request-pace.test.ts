import { expect, it } from 'vitest';
import { RequestPace } from '../../../src/base/request-pace.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const LONG_MS = 60_000;
const settled = () => new Promise(setImmediate);

function setup(most: number) {
  const clock = new ManualClock();
  const pace = new RequestPace(clock, { most, withinMs: 1_000 });
  const made: string[] = [];
  const ask = async (
    name: string,
    owner = name,
    answer = Promise.resolve(),
    signal = new AbortController().signal,
  ) => {
    const turn = await pace.turn(owner, LONG_MS, signal);
    if (turn === null) return;
    made.push(name);
    await answer;
    turn.answered();
  };
  const after = async (ms: number) => {
    clock.advance(ms);
    await settled();
    return made.splice(0);
  };
  return { pace, ask, after };
}

it('gives no more turns than its number until the time after their answers', async () => {
  const { pace, ask, after } = setup(2);
  const slow = Promise.withResolvers<void>();
  for (const name of ['slow', 'b', 'c', 'd'])
    void ask(name, name, name === 'slow' ? slow.promise : undefined);
  expect([await after(0), pace.free]).toEqual([['slow', 'b'], 0]);
  expect(await after(1_000)).toEqual(['c']);
  slow.resolve();
  await settled();
  expect(await after(1_000)).toHaveLength(1);
  expect(await after(1_000)).toEqual([]);
  expect(pace.free).toBe(2);
});

it('serves the owner that had the least first', async () => {
  const { ask, after } = setup(1);
  for (let n = 0; n < 5; n++) void ask(`greedy ${n}`, 'greedy');
  void ask('modest');
  expect(await after(0)).toEqual(['greedy 0']);
  expect(await after(1_000)).toEqual(['modest']);
  expect(await after(1_000)).toEqual(['greedy 1']);
});

it('gives a turn back that was not used, and none to somebody who has gone', async () => {
  const { pace, ask, after } = setup(1);
  const turn = await pace.turn('a', LONG_MS, new AbortController().signal);
  const gone = new AbortController();
  void ask('gone', 'b', undefined, gone.signal);
  void ask('here', 'c');
  gone.abort();
  turn!.unused();
  expect(await after(0)).toEqual(['here']);
  expect(await pace.turn('d', LONG_MS, AbortSignal.abort())).toBeNull();
});
