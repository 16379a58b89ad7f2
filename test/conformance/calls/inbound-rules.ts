import { expect } from 'vitest';
import { analyzeTone } from '../../support/tone-analysis.ts';
import { AgentCall } from './agent-call.ts';
import type { CallRule } from './calls-under-test.ts';
import { FAR_HZ } from './placing-rules.ts';

const FRAMES = 60;

export const INBOUND_RULES: readonly CallRule[] = [
  {
    title: 'a caller rings, is accepted and heard',
    applies: ({ connector }) => connector.provides.inboundCalls !== undefined,
    async check(subject) {
      const caller = await subject.account.called!();
      const call = await AgentCall.ringing(subject);
      expect(call.created).toMatchObject({ direction: 'inbound', platform: subject.connector.platform });
      const accepted = await call.account.api.post(`${call.path}/accept`);
      expect([accepted.status, accepted.body.state]).toEqual([200, 'active']);
      const far = await caller.answered;
      const agent = await call.join();
      const speaking = far.speak(FAR_HZ);
      const heard = await agent.hear(FRAMES);
      speaking.stop();
      expect(analyzeTone(heard, agent.sampleRateHz, FAR_HZ).snrDb).toBeGreaterThan(25);
      await call.hangUp();
      await call.waitFor('the caller to be told', () => far.isOver);
    },
  },
  {
    title: 'a caller is refused',
    applies: ({ connector }) => connector.provides.inboundCalls !== undefined,
    async check(subject) {
      const caller = await subject.account.called!();
      const call = await AgentCall.ringing(subject);
      const refused = await call.account.api.post(`${call.path}/refuse`);
      expect([refused.status, refused.body.state]).toEqual([200, 'refused']);
      await call.waitFor('the caller to be told', () => caller.isRefused);
    },
  },
  {
    title: 'a caller who gives up is missed',
    applies: ({ connector }) => connector.provides.inboundCalls !== undefined,
    async check(subject) {
      const caller = await subject.account.called!();
      const call = await AgentCall.ringing(subject);
      caller.giveUp();
      await call.becomes('missed');
      expect((await call.record()).result).toBe('missed');
    },
  },
];
