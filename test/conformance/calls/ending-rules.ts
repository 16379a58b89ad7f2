import { expect } from 'vitest';
import { waitFor } from '../../support/wait-for.ts';
import { AgentCall } from './agent-call.ts';
import type { CallRule, CallsUnderTest } from './calls-under-test.ts';
import { descriptorsOf } from './descriptors.ts';

/** Calls of each kind, one after the other. */
const ROUNDS = 4;

export const ENDING_RULES: readonly CallRule[] = [
  {
    title: 'the far end hangs up: the call has ended',
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      const agent = await call.join();
      far.hangUp();
      await call.becomes('gone');
      expect((await call.record()).result).toBe('completed');
      await agent.waitFor('call_state', { state: 'ended' }, subject.patienceMs);
    },
  },
  {
    title: 'the agent hangs up: the far end is told',
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      await call.hangUp();
      await call.waitFor('the far end to be told', () => far.isOver);
      expect(await call.record()).toMatchObject({ state: 'ended', result: 'completed' });
    },
  },
  {
    title: 'the agent hangs up before the answer: the far end is told',
    async check(subject) {
      const { call, offer } = await AgentCall.placed(subject);
      const { status } = await call.account.api.delete(call.path);
      expect(status).toBe(202);
      await call.waitFor('the far end to be told', () => offer.isWithdrawn);
    },
  },
  {
    title: 'a call that the far end does not take is disconnected, with the reason',
    async check(subject) {
      for (const [failure, result] of Object.entries(subject.failures)) {
        const { call, offer } = await AgentCall.placed(subject);
        offer.fail(failure);
        await call.becomes('disconnected');
        const { body } = await call.account.api.get(call.path);
        expect([failure, body.termination.result]).toEqual([failure, result]);
        expect(body.termination.reason).not.toBe('');
      }
    },
  },
  {
    title: 'a stopping gateway tells the far ends',
    async check(subject) {
      const [active, placed] = [await AgentCall.active(subject), await AgentCall.placed(subject)];
      await subject.gateway.restart();
      await active.call.waitFor('the far end to be told', () => active.far.isOver);
      await placed.call.waitFor('the other far end to be told', () => placed.offer.isWithdrawn);
      for (const { call } of [active, placed])
        expect(await call.record()).toEqual({
          state: 'disconnected',
          result: 'disconnected',
          reason: 'the gateway was stopped',
        });
    },
  },
  {
    title: 'a killed gateway disconnects its calls when it starts again, and takes new ones',
    async check(subject) {
      const { call } = await AgentCall.active(subject);
      await subject.gateway.killHard();
      await subject.gateway.restart();
      await call.becomes('disconnected');
      expect((await call.record()).reason).toBe('the gateway was restarted');
      const again = await AgentCall.active(subject);
      await again.call.hangUp();
      await again.call.waitFor('the far end to be told', () => again.far.isOver);
    },
  },
  {
    title: 'calls leave nothing behind',
    async check(subject) {
      const cycle = async () => {
        const ended = await AgentCall.active(subject);
        ended.far.hangUp();
        await ended.call.becomes('gone');
        const { call, far } = await AgentCall.active(subject);
        await call.hangUp();
        await call.waitFor('the far end to be told', () => far.isOver);
      };
      await cycle();
      const before = await settledDescriptors(subject);
      for (let round = 0; round < ROUNDS; round++) await cycle();
      expect(await settledDescriptors(subject, before)).toBeLessThanOrEqual(before);
    },
  },
];

/** The gateway's open descriptors once no call is left; waits until they are no more than `atMost`. */
async function settledDescriptors(
  { gateway, account, patienceMs }: CallsUnderTest,
  atMost = Infinity,
): Promise<number> {
  await waitFor(
    'no call to be left',
    async () => (await account.api.get('/api/calls')).body.calls.length === 0,
    patienceMs,
  );
  const open = () => descriptorsOf(gateway.pid, gateway.httpPort);
  await waitFor(`at most ${atMost} descriptors`, () => open() <= atMost, patienceMs);
  return open();
}
