import { expect, it } from 'vitest';
import { onBehalfOf } from '../../../../src/base/on-behalf.ts';
import { RequestWindow } from '../../../../src/connectors/kit/request-window.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const turn = () => new Promise(setImmediate);
const late = () => new Error('late');

it('makes no more requests than its number until a second after their answers, in their order', async () => {
  const clock = new ManualClock();
  const window = new RequestWindow(clock, 2);
  const slow = Promise.withResolvers<void>();
  const made: string[] = [];
  const ask = (name: string, answer = Promise.resolve()) =>
    window.run(new AbortController().signal, late, async () => {
      made.push(name);
      await answer;
    });
  void ask('slow', slow.promise);
  for (const name of ['b', 'c', 'd']) void ask(name);
  await turn();
  expect([made.splice(0), window.free]).toEqual([['slow', 'b'], 0]);
  clock.advance(1_000);
  await turn();
  expect(made.splice(0)).toEqual(['c']);
  slow.resolve();
  await turn();
  clock.advance(1_000);
  await turn();
  expect(made.splice(0)).toEqual(['d']);
  clock.advance(1_000);
  await turn();
  expect(window.free).toBe(2);
});

it('lets accounts take turns', async () => {
  const clock = new ManualClock();
  const window = new RequestWindow(clock, 1);
  const made: string[] = [];
  const ask = (account: string, name: string) =>
    onBehalfOf(account, () =>
      window.run(new AbortController().signal, late, async () => {
        made.push(name);
      }),
    );
  for (const name of ['a1', 'a2', 'a3', 'a4']) void ask('acc_a', name);
  for (const name of ['b1', 'b2']) void ask('acc_b', name);
  for (let second = 0; second < 6; second++) {
    await turn();
    clock.advance(1_000);
  }
  expect(made).toEqual(['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
});

it('does not make a request whose time is over', async () => {
  const clock = new ManualClock();
  const window = new RequestWindow(clock, 1);
  const stuck = new AbortController();
  void window.run(stuck.signal, late, () => new Promise(() => {}));
  const giving = new AbortController();
  const refused = window.run(giving.signal, late, async () => 'made');
  giving.abort();
  await expect(refused).rejects.toThrow('late');
  await expect(window.run(AbortSignal.abort(), late, async () => 'made')).rejects.toThrow('late');
});
