import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { Spread } from '../../../src/base/spread.ts';

it('runs a few actions at once, and the others in order in later turns of the event loop', async () => {
  const spread = new Spread();
  const ran: number[] = [];
  for (let n = 0; n < 50; n++) spread.run(() => ran.push(n));
  expect(ran.length).toBe(20);
  spread.run(() => ran.push(50));
  await nextTurn();
  expect(ran.length).toBe(40);
  await nextTurn();
  expect(ran).toEqual(Array.from({ length: 51 }, (_, n) => n));
});

it('runs what an action adds, after those that wait', async () => {
  const spread = new Spread();
  const ran: string[] = [];
  for (let n = 0; n < 20; n++) spread.run(() => {});
  spread.run(() => {
    ran.push('first');
    spread.run(() => ran.push('added'));
  });
  spread.run(() => ran.push('second'));
  while (ran.length < 3) await nextTurn();
  expect(ran).toEqual(['first', 'second', 'added']);
});

it('runs an action at once again when the turn is over', async () => {
  const spread = new Spread();
  for (let n = 0; n < 30; n++) spread.run(() => {});
  await nextTurn();
  await nextTurn();
  let hasRun = false;
  spread.run(() => (hasRun = true));
  expect(hasRun).toBe(true);
});
