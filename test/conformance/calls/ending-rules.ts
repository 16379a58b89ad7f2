import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { waitFor } from '../../support/wait-for.ts';
import { AgentCall } from './agent-call.ts';
import type { CallRule, CallsUnderTest } from './calls-under-test.ts';
import { descriptorsOf } from './descriptors.ts';

/** Calls of each kind, one after the other. */
const ROUNDS = 4;
const ATTEMPTS = 3;
/** For what is released after a call is over. */
const SETTLING_MS = 2_000;

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
    isSlow: true,
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
    isSlow: true,
    async check(subject) {
      const { call } = await AgentCall.active(subject);
      const { api } = call.account;
      const { cursor } = (await api.get('/api/inbox')).body;
      await subject.gateway.killHard();
      await subject.gateway.restart();
      await call.becomes('disconnected');
      expect((await call.record()).reason).toBe('the gateway was restarted');
      const { body } = await api.get(`/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`);
      const { call_id } = call.created;
      // Before them, there may be the event that the call became active.
      const told = body.events.filter((event: AnyJson) => event.call_id === call_id).slice(-2);
      expect(told).toMatchObject([
        {
          type: 'call_error',
          code: 'bridge_disconnected',
          message: expect.stringContaining('same meeting_url'),
        },
        { type: 'call_state', state: 'disconnected' },
      ]);
      const again = await AgentCall.active(subject);
      await again.call.hangUp();
      await again.call.waitFor('the far end to be told', () => again.far.isOver);
    },
  },
  {
    title: 'calls leave nothing behind',
    isSlow: true,
    async check(subject) {
      await endBothWays(subject);
      for (let attempt = 1; ; attempt++) {
        const before = descriptorsOf(subject.gateway.pid, subject.gateway.httpPort);
        for (let round = 0; round < ROUNDS; round++) await endBothWays(subject);
        if (await fallTo(subject, before)) return;
        // What is opened once, such as ports for later calls, is not opened again.
        expect(attempt, 'descriptors grow with the number of calls').toBeLessThan(ATTEMPTS);
      }
    },
  },
];

/** Two calls, one after the other, each ended by one of the sides. */
async function endBothWays(subject: CallsUnderTest): Promise<void> {
  const ended = await AgentCall.active(subject);
  ended.far.hangUp();
  await ended.call.becomes('gone');
  const { call, far } = await AgentCall.active(subject);
  await call.hangUp();
  await call.waitFor('the far end to be told', () => far.isOver);
}

/** Whether the gateway's open descriptors soon are no more than that. */
async function fallTo({ gateway, patienceMs }: CallsUnderTest, most: number): Promise<boolean> {
  const open = () => descriptorsOf(gateway.pid, gateway.httpPort);
  const settlingMs = Math.min(patienceMs, SETTLING_MS);
  return await waitFor('released descriptors', () => open() <= most, settlingMs).catch(() => false);
}
