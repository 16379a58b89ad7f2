import { expect } from 'vitest';
import type { AnyJson } from '../../support/any-json.ts';
import { AgentCall } from './agent-call.ts';
import type { CallFeature, CallRule, CallsUnderTest } from './calls-under-test.ts';

export const MEETING_RULES: readonly CallRule[] = [
  {
    title: 'a call that waits to be admitted says so',
    applies: having('lobby'),
    async check(subject) {
      const { call, offer } = await AgentCall.placed(subject);
      const shown = async () => (await call.account.api.get(call.path)).body;
      await call.waitFor('the reason', async () => (await shown()).waiting_reason);
      expect(await shown()).toMatchObject({
        state: 'connecting',
        waiting_reason: expect.stringMatching(/./),
      });
      await offer.answer();
      await call.becomes('active');
      expect((await shown()).waiting_reason ?? null).toBeNull();
      await call.hangUp();
    },
  },
  {
    title: 'the chat of a meeting goes both ways, and agents do not hear themselves',
    applies: having('chat'),
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      const agent = await call.join();
      const says = (text: string) => agent.waitFor('call_chat', { text }, subject.patienceMs);
      far.writes!('Good morning');
      expect(await says('Good morning')).toMatchObject({ sender: expect.stringMatching(/./) });
      for (const text of ['Hello', 'and welcome']) {
        const { status } = await call.account.api.post(`${call.path}/chat`, { text });
        expect(status).toBe(200);
      }
      far.writes!('Thank you');
      await says('Thank you');
      expect(far.read!()).toEqual(['Hello', 'and welcome']);
      const heard = agent.events.filter(({ type }) => type === 'call_chat').map(({ text }) => text);
      expect(heard).toEqual(['Good morning', 'Thank you']);
      await call.hangUp();
    },
  },
  {
    title: 'agents are seen typing in a meeting',
    applies: having('typing'),
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      const { status } = await call.account.api.post(`${call.path}/typing`);
      expect(status).toBe(200);
      await call.waitFor('the indicator', () => far.typingShown!() > 0);
      await call.hangUp();
    },
  },
  {
    title: 'who takes part in a meeting is known',
    applies: having('participants'),
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      const names = async (): Promise<string[]> => {
        const { participants } = (await call.account.api.get(call.path)).body;
        return participants.map(({ name }: AnyJson) => name);
      };
      const leaves = far.enters!('Grace');
      await call.waitFor('Grace to come', async () => (await names()).includes('Grace'));
      leaves();
      await call.waitFor('Grace to go', async () => !(await names()).includes('Grace'));
      expect((await names()).length).toBeGreaterThan(0);
      await call.hangUp();
    },
  },
];

function having(feature: CallFeature): (subject: CallsUnderTest) => boolean {
  return ({ features }) => features.has(feature);
}
