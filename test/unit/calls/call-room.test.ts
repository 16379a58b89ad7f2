import { setImmediate as turn } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { CallActor } from '../../../src/calls/call-actor.ts';
import { CallRoom } from '../../../src/calls/call-room.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const PLACES = 12;

/** A box with room for some calls, and who has taken it. */
function world() {
  const room = new CallRoom(new ManualClock(), PLACES);
  let last = 0;
  return {
    room,
    /** Begins calls until there is no room. Returns how many there were. */
    fill(accountId: string, direction: 'inbound' | 'outbound' = 'outbound'): number {
      const before = last;
      while (room.take({ callId: `call_${last}`, accountId, direction })) last += 1;
      return last - before;
    },
    async end(callId: string, released = Promise.resolve()): Promise<void> {
      const call = { identity: { callId }, leg: { released } } as unknown as CallActor;
      room.happened(call, { type: 'call_state', state: 'ended' } as never);
      await turn();
    },
  };
}

it('one account has half of it, and there is always room for the next', () => {
  const { fill, room } = world();
  expect([fill('acc_1'), fill('acc_2'), fill('acc_3'), fill('acc_4')]).toEqual([6, 3, 2, 1]);
  expect(room.share.taken).toBe(PLACES);
  expect(room.share.refused).toBe(4);
});

it('those who call an account do not use up what it calls with, nor what others have', () => {
  const { fill, room } = world();
  fill('acc_1', 'inbound');
  expect(room.take({ callId: 'own', accountId: 'acc_1', direction: 'outbound' })).toBe(true);
  expect(room.take({ callId: 'other', accountId: 'acc_2', direction: 'inbound' })).toBe(true);
});

it('a call has its place until its leg has released its ports', async () => {
  const { fill, room, end } = world();
  fill('acc_1');
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  await end('call_0', released);
  expect(fill('acc_1')).toBe(0);
  release();
  await turn();
  expect(fill('acc_1')).toBe(1);
  await end('unknown');
  expect(room.share.taken).toBe(6);
});

it('is not for calls that the machine cannot carry, and these take nothing of it', () => {
  let problem: string | null = 'the engine threads are busy';
  const room = new CallRoom(new ManualClock(), PLACES, () => problem);
  const call = { callId: 'call_1', accountId: 'acc_1', direction: 'outbound' } as const;
  expect([room.take(call), room.share.taken]).toEqual([false, 0]);
  problem = null;
  expect([room.take(call), room.share.taken]).toEqual([true, 1]);
});
