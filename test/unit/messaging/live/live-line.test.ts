import { expect, it } from 'vitest';
import { LiveLine, type Waiting } from '../../../../src/messaging/live/live-line.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const PACE = { begins: { most: 100, perSecond: 100 }, all: { most: 3, perSecond: 1 }, everyMs: 0 };

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
    isNew: false,
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
    return asked.splice(0);
  };
  return { clock, line, message, after };
}

it('serves first texts first, and then accounts in turn, whatever one of them wants', async () => {
  const { line, message, after } = setup({ ...PACE, all: { most: 3, perSecond: 1 } });
  for (let n = 0; n < 5; n++) line.add(message(`greedy ${n}`, 'greedy'));
  line.add(message('modest', 'modest'));
  line.add(message('new', 'greedy', { isNew: true }));
  expect(await after(1)).toEqual(['new']);
  expect(await after(1_000)).toEqual(['modest']);
  expect(await after(1_000)).toEqual(['greedy 0']);
});

it('leaves room for whole messages', async () => {
  const { line, message, after } = setup();
  for (let n = 0; n < 5; n++) line.add(message(`${n}`, 'a'));
  expect(await after(1)).toHaveLength(1);
  await line.whole();
  await line.whole();
  expect(await after(1)).toEqual([]);
});

it('asks nothing while the platform wants a pause', async () => {
  const { line, message, after } = setup({ ...PACE, all: { most: 10, perSecond: 10 } });
  line.add(message('first', 'a', { pauseMs: 5_000 }));
  expect(await after(1)).toEqual(['first']);
  line.add(message('second', 'a'));
  expect(await after(4_000)).toEqual([]);
  expect(await after(2_000)).toEqual(['second']);
});

it('asks nothing for a conversation before it takes something, nor for a message that is whole', async () => {
  const { clock, line, message, after } = setup({ ...PACE, all: { most: 10, perSecond: 10 } });
  const late = message('late', 'a', { readyMs: clock.monotonicMs() + 1_000 });
  const whole = message('whole', 'a', { readyMs: clock.monotonicMs() + 1_000 });
  line.add(late);
  line.add(whole);
  line.remove(whole);
  expect(await after(500)).toEqual([]);
  expect(await after(600)).toEqual(['late']);
});
