import { expect, it } from 'vitest';
import { PacedTurns } from '../../../src/base/paced-turns.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const STEP_MS = 4;

function entering(count: number) {
  const clock = new ManualClock();
  const turns = new PacedTurns(clock, STEP_MS);
  const entered: number[] = [];
  const enter = (n: number): void => void turns.enter().then(() => entered.push(n));
  for (let n = 0; n < count; n++) enter(n);
  /** Lets a step pass, and returns who is in by then. */
  const step = async (): Promise<readonly number[]> => {
    clock.advance(STEP_MS);
    await new Promise((resolve) => setImmediate(resolve));
    return entered;
  };
  return { clock, entered, enter, step };
}

it('lets one in at once and the others step by step, in order', async () => {
  const { entered, step } = entering(4);
  await Promise.resolve();
  expect(entered).toEqual([0]);
  expect(await step()).toEqual([0, 1]);
  await step();
  expect(await step()).toEqual([0, 1, 2, 3]);
});

it('lets more in at a time when many wait', async () => {
  const { entered, step } = entering(10_001);
  expect((await step()).length).toBe(81);
  let steps = 1;
  for (; entered.length < 10_001 && steps < 2_000; steps++) await step();
  expect(steps).toBeLessThan(1_000);
});

it('lets the next one in at once after a rest', async () => {
  const { enter, entered, step } = entering(1);
  await step();
  enter(1);
  await Promise.resolve();
  expect(entered).toEqual([0, 1]);
});
