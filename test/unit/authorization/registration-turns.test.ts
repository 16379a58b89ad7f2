import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { registrationTurn, registrationTurns } from '../../../src/authorization/registration-turns.ts';
import { TooManyAttempts } from '../../../src/base/errors.ts';
import { ManualClock } from '../../support/manual-clock.ts';

it('a flood of clients from many networks is slowed down, and somebody new has the next turn', async () => {
  const clock = new ManualClock();
  const registrations = registrationTurns(clock);
  const stored: string[] = [];
  const register = async (ip: string) => {
    await registrationTurn({ registrations, clock }, ip);
    stored.push(ip);
  };
  const flood = Array.from({ length: 200 }, (_, n) => register(`198.18.${n % 100}.1`));
  const settled = Promise.allSettled(flood);
  expect(registrations).toMatchObject({ taken: 10, waiting: 40, refused: 150 });
  await setImmediate();
  const newcomer = register('203.0.113.1');
  // Ten have had their turn, and their places count for 0.5 s more.
  for (let turn = 0; turn < 2; turn++) {
    clock.advance(500);
    await setImmediate();
  }
  expect(stored).toHaveLength(30);
  expect(stored).toContain('203.0.113.1');
  await newcomer;
  for (let turn = 0; turn < 3; turn++) {
    clock.advance(500);
    await setImmediate();
  }
  const refused = (await settled).find(({ status }) => status === 'rejected') as PromiseRejectedResult;
  expect(refused.reason).toBeInstanceOf(TooManyAttempts);
});
