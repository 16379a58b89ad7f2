import { expect } from 'vitest';
import { Agent } from '../../support/agent.ts';
import { toneLevelDb } from '../../support/tone-analysis.ts';
import { isVoiced } from '../../support/voiced.ts';
import { AgentCall } from './agent-call.ts';
import type { CallRule, CallsUnderTest } from './calls-under-test.ts';
import { AGENT_HZ, FAR_HZ } from './placing-rules.ts';

const SETTLING_FRAMES = 25;
const JUDGED_FRAMES = 50;
const VOICED_FRAMES = 25;

export const SEPARATION_RULES: readonly CallRule[] = [
  {
    title: 'two accounts neither see nor hear each other’s calls',
    async check(subject) {
      const [own, other] = [
        await AgentCall.active(subject),
        await AgentCall.active(subject, subject.otherAccount),
      ];
      for (const [mine, theirs] of [
        [own, other],
        [other, own],
      ] as const) {
        const { api, agentKey } = mine.call.account;
        const { calls } = (await api.get('/api/calls')).body;
        expect(calls).toMatchObject([{ call_id: mine.call.created.call_id }]);
        expect((await api.get(theirs.call.path)).status).toBe(404);
        expect((await api.delete(theirs.call.path)).status).toBe(404);
        expect((await api.post(`${theirs.call.path}/dtmf`, { digits: '1' })).status).toBe(404);
        const stream = Agent.connect(theirs.call.created.audio.stream_url, agentKey, 8_000);
        await expect(stream).rejects.toThrow('404');
      }
      const speaking = [own.far.speak(FAR_HZ), other.far.speak(AGENT_HZ)];
      const agent = await own.call.join();
      await agent.hear(SETTLING_FRAMES);
      const heard = await agent.hear(JUDGED_FRAMES);
      for (const speech of speaking) speech.stop();
      const { sampleRateHz } = agent;
      const othersDb = toneLevelDb(heard, sampleRateHz, AGENT_HZ);
      expect(othersDb).toBeLessThan(toneLevelDb(heard, sampleRateHz, FAR_HZ) - 40);
      await own.call.hangUp();
      await other.call.hangUp();
    },
  },
  {
    title: 'a call survives the end of its engine thread',
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      const agent = await call.join();
      const speaking = [far.speak(FAR_HZ), agent.startTone(AGENT_HZ)];
      const heardVoice = (from: number) => agent.heard.slice(from).filter(isVoiced).length >= VOICED_FRAMES;
      await call.waitFor('the far end’s voice', () => heardVoice(0));
      subject.killEngineThread();
      await call.waitFor('the call to move', () => hasMoved(subject, call.created.call_id));
      const [atAgent, atFar] = [agent.heard.length, far.heard().length];
      await call.waitFor('the far end’s voice again', () => heardVoice(atAgent));
      await call.waitFor('the agent’s voice again', () => {
        const since = far.heard().subarray(atFar);
        return since.length > far.sampleRateHz / 2 && toneLevelDb(since, far.sampleRateHz, AGENT_HZ) > -30;
      });
      expect(await call.state()).toBe('active');
      for (const speech of speaking) speech.stop();
      await call.hangUp();
      await call.waitFor('the far end to be told', () => far.isOver);
    },
  },
];

function hasMoved({ gateway }: CallsUnderTest, callId: string): boolean {
  const lines = gateway.output.split('\n');
  return lines.some((line) => line.includes('call moved to another') && line.includes(callId));
}
