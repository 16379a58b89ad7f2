import { expect, it } from 'vitest';
import { LiveLine } from '../../../../src/messaging/live/live-line.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PACE = { most: 3, updates: 1, withinMs: 1_000, everyMs: 0 };
const settled = () => new Promise(setImmediate);

function setup(pace: ConstructorParameters<typeof LiveLine>[1] = PACE) {
  const clock = new ManualClock();
  const line = new LiveLine(clock, pace);
  const asked: string[] = [];
  const over = new AbortController();
  const ask = (
    name: string,
    accountId: string,
    isUpdate: boolean,
    answer: number | null | Promise<number> = 0,
  ) =>
    void line.ask({ accountId, isUpdate }, over.signal, async () => {
      if (answer !== null) asked.push(name);
      return await answer;
    });
  const whole = async (accountId: string) => {
    await line.whole(accountId);
    asked.push(`whole of ${accountId}`);
  };
  const after = async (ms: number) => {
    await settled();
    clock.advance(ms);
    await settled();
    return asked.splice(0);
  };
  return { line, ask, whole, after, over };
}

it('leaves room for first texts and whole messages beside updates', async () => {
  const { ask, whole, after } = setup();
  for (let n = 0; n < 5; n++) ask(`${n}`, 'a', true);
  expect(await after(0)).toEqual(['0']);
  ask('first', 'a', false);
  void whole('b');
  expect((await after(0)).toSorted()).toEqual(['first', 'whole of b']);
  expect(await after(999)).toEqual([]);
  expect(await after(1)).toEqual(['1']);
});

it('serves accounts in turn, whatever one of them wants', async () => {
  const { ask, after } = setup({ ...PACE, most: 1 });
  for (let n = 0; n < 5; n++) ask(`greedy ${n}`, 'greedy', false);
  ask('modest', 'modest', false);
  expect(await after(0)).toEqual(['greedy 0']);
  expect(await after(1_000)).toEqual(['modest']);
  expect(await after(1_000)).toEqual(['greedy 1']);
});

it('counts requests from their answers, and none that was not made', async () => {
  const { ask, after } = setup({ ...PACE, most: 1, updates: 1 });
  ask('nothing', 'a', true, null);
  const slow = Promise.withResolvers<number>();
  ask('slow', 'a', true, slow.promise);
  ask('next', 'a', true);
  expect(await after(1_500)).toEqual(['slow']);
  slow.resolve(0);
  expect(await after(999)).toEqual([]);
  expect(await after(1)).toEqual(['next']);
});

it('sends a whole message after ten seconds in any case', async () => {
  const { ask, after, whole } = setup({ ...PACE, most: 1 });
  ask('stuck', 'a', false, new Promise(() => {}));
  await after(0);
  void whole('a');
  expect(await after(9_999)).toEqual([]);
  expect(await after(1)).toEqual(['whole of a']);
});

it('asks nothing while the platform wants a pause, nor for a message that is whole', async () => {
  const { ask, after, over } = setup({ ...PACE, most: 10, updates: 10 });
  ask('first', 'a', true, 5_000);
  expect(await after(0)).toEqual(['first']);
  ask('second', 'a', true);
  expect(await after(4_999)).toEqual([]);
  expect(await after(1)).toEqual(['second']);
  over.abort();
  ask('late', 'a', true);
  expect(await after(5_000)).toEqual([]);
});

it('has places for so many messages, each until its last request counts no more', async () => {
  const { line, after } = setup({ ...PACE, withinMs: 60_000, mostEdits: 1 });
  const leave = line.place('a');
  expect(line.place('b')).toBeNull();
  leave!(false);
  line.place('b')!(true);
  expect(line.place('a')).toBeNull();
  await after(70_000);
  expect(line.place('a')).not.toBeNull();
});

it('keeps an edit for each message that is shown, and leaves some to those that are not', async () => {
  const { line, ask, after } = setup({ most: 10, updates: 2, withinMs: 60_000, everyMs: 100, mostEdits: 4 });
  const first = line.place('a')!;
  ask('one', 'a', true);
  expect(await after(0)).toEqual(['one']);
  ask('two', 'a', true);
  expect(await after(1_000)).toEqual([]);
  const others = [line.place('b'), line.place('b'), line.place('b')];
  expect(others.map((each) => each !== null)).toEqual([true, true, false]);
  for (const leave of [first, ...others.slice(0, 2)]) leave!(false);
  expect(await after(100)).toEqual(['two']);
});

it('lets no first text wait behind an update', async () => {
  const { ask, after } = setup({ ...PACE, most: 1, updates: 3 });
  ask('begun', 'a', false);
  expect(await after(0)).toEqual(['begun']);
  ask('update of a', 'a', true);
  ask('update of b', 'b', true);
  ask('first of a', 'a', false);
  expect(await after(1_000)).toEqual(['first of a']);
  expect(await after(1_000)).toEqual(['update of b']);
});
