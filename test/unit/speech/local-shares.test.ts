import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { CallPlaces, newLocalShares } from '../../../src/speech/session/local-shares.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** Calls whose bridge threads want recognizers, and what they are told. */
function world() {
  const clock = new ManualClock();
  const shares = newLocalShares(clock);
  const told: [string, boolean][] = [];
  const call = (name: string, accountId: string) =>
    new CallPlaces(shares, accountId, (_, isFree) => void told.push([name, isFree]));
  return { clock, shares, told, call };
}

const WANTED = { type: 'place_wanted', placeId: 1, work: 'recognition' } as const;
const LEFT = { type: 'place_left', placeId: 1 } as const;
/** More than there are on any machine that runs this. */
const MANY = 600;

it('one account leaves half of the recognizers to others, whose calls get one at once', async () => {
  const { clock, shares, told, call } = world();
  for (let i = 0; i < MANY; i++) call('greedy', 'acc_1').received(WANTED);
  await turn();
  const taken = shares.recognition.taken;
  call('quiet', 'acc_2').received(WANTED);
  await turn();
  expect(told.at(-1)).toEqual(['quiet', true]);
  clock.advance(3_000);
  await turn();
  expect(told.filter(([, isFree]) => !isFree).length).toBe(MANY - taken);
  expect(shares.recognition.taken).toBe(taken + 1);
  expect(shares.recognition.refused).toBe(MANY - taken);
});

it('places come back when a voice is silent, and all of them when the transport is gone', async () => {
  const { shares, call } = world();
  const transport = call('one', 'acc_1');
  transport.received(WANTED);
  transport.received({ ...WANTED, placeId: 2 });
  transport.received({ ...WANTED, placeId: 3, work: 'synthesis' });
  await turn();
  expect([shares.recognition.taken, shares.synthesis.taken]).toEqual([2, 1]);
  transport.received(LEFT);
  transport.received(LEFT);
  expect(shares.recognition.taken).toBe(1);
  transport.end();
  expect([shares.recognition.taken, shares.synthesis.taken]).toEqual([0, 0]);
});

it('a transport that is gone keeps no place that it waited for', async () => {
  const { shares, told, call } = world();
  const transport = call('gone', 'acc_1');
  transport.received(WANTED);
  transport.end();
  await turn();
  expect([shares.recognition.taken, told]).toEqual([0, []]);
});

it('the next text is that of the account that has spoken least', async () => {
  const { shares, told, call } = world();
  const greedy = call('greedy', 'acc_1');
  for (let placeId = 1; placeId <= 20; placeId++) greedy.received({ ...WANTED, placeId, work: 'synthesis' });
  await turn();
  const taken = shares.synthesis.taken;
  call('quiet', 'acc_2').received({ ...WANTED, work: 'synthesis' });
  greedy.received(LEFT);
  await turn();
  expect(told.length).toBe(taken + 1);
  expect(told.at(-1)).toEqual(['quiet', true]);
});
