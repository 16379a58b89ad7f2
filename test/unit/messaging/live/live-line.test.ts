import { expect, it } from 'vitest';
import { LiveLine, type Waiting } from '../../../../src/messaging/live/live-line.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PACE = { perSecond: 3, updates: 1, everyMs: 0 };

interface Told extends Waiting {
  readonly name: string;
}

function setup(pace = PACE) {
  const clock = new ManualClock();
  const line = new LiveLine(clock, pace);
  const asked: string[] = [];
  const message = (
    name: string,
    accountId: string,
    parts: Partial<Told> & { pauseMs?: number } = {},
  ): Told => ({
    name,
    accountId,
    isUpdate: true,
    readyMs: 0,
    ask: async () => {
      asked.push(name);
      return parts.pauseMs ?? 0;
    },
    ...parts,
  });
  const after = async (ms: number) => {
    clock.advance(ms);
    await new Promise(setImmediate);
    clock.advance(0);
    await new Promise(setImmediate);
    return asked.splice(0);
  };
  const whole = async (accountId: string) => {
    await line.whole(accountId);
    asked.push(`whole of ${accountId}`);
  };
  return { clock, line, message, after, whole };
}

it('serves first texts first, and then accounts in turn, whatever one of them wants', async () => {
  const { line, message, after } = setup({ ...PACE, perSecond: 1 });
  for (let n = 0; n < 5; n++) line.add(message(`greedy ${n}`, 'greedy'));
  line.add(message('modest', 'modest'));
  line.add(message('new', 'greedy', { isUpdate: false }));
  expect(await after(1)).toEqual(['new']);
  expect(await after(1_000)).toEqual(['modest']);
  expect(await after(1_000)).toEqual(['greedy 0']);
});

it('leaves room for first texts and whole messages, which take turns by account', async () => {
  const { line, message, after, whole } = setup();
  for (let n = 0; n < 5; n++) line.add(message(`${n}`, 'a'));
  expect(await after(1)).toEqual(['0']);
  line.add(message('first', 'a', { isUpdate: false }));
  void whole('b');
  void whole('a');
  // The update has left two places, of which the other account gets the first.
  expect((await after(1)).toSorted()).toEqual(['first', 'whole of b']);
});

it('asks no more than its pace in any second, counted from the answers', async () => {
  const { line, message, after } = setup();
  const slow = Promise.withResolvers<number>();
  line.add(message('slow', 'a', { isUpdate: false, ask: () => slow.promise }));
  for (let n = 0; n < 5; n++) line.add(message(`${n}`, 'a', { isUpdate: false, readyMs: 1 }));
  expect(await after(1)).toEqual(['0', '1']);
  expect(await after(999)).toEqual([]);
  expect(await after(1)).toEqual(['2', '3']);
  slow.resolve(0);
  expect(await after(999)).toEqual([]);
  expect(await after(1)).toEqual(['4']);
});

it('sends a whole message after ten seconds in any case', async () => {
  const { line, message, after, whole } = setup({ ...PACE, perSecond: 1 });
  line.add(message('stuck', 'a', { isUpdate: false, ask: () => new Promise(() => {}) }));
  await after(1);
  void whole('a');
  expect(await after(9_999)).toEqual([]);
  expect(await after(1)).toEqual(['whole of a']);
});

it('asks nothing while the platform wants a pause', async () => {
  const { line, message, after } = setup({ perSecond: 10, updates: 10, everyMs: 0 });
  line.add(message('first', 'a', { pauseMs: 5_000 }));
  expect(await after(1)).toEqual(['first']);
  line.add(message('second', 'a'));
  expect(await after(4_000)).toEqual([]);
  expect(await after(2_000)).toEqual(['second']);
});

it('asks nothing for a conversation before it takes something, nor for a message that is whole', async () => {
  const { clock, line, message, after } = setup({ perSecond: 10, updates: 10, everyMs: 0 });
  const late = message('late', 'a', { readyMs: clock.monotonicMs() + 1_000 });
  const whole = message('whole', 'a', { readyMs: clock.monotonicMs() + 1_000 });
  line.add(late);
  line.add(whole);
  line.remove(whole);
  expect(await after(500)).toEqual([]);
  expect(await after(600)).toEqual(['late']);
});
