import { expect } from 'vitest';
import { FRAME_MS } from '../../../src/base/frame.ts';
import { analyzeTone, toneLevelDb } from '../../support/tone-analysis.ts';
import { streamTone } from '../../support/tone-stream.ts';
import { AgentCall } from './agent-call.ts';
import type { CallRule } from './calls-under-test.ts';

export const FAR_HZ = 440;
/** No harmonic of the other tone, nor an alias of one, is near. */
export const AGENT_HZ = 1_037;
const AHEAD_MS = 200;
const SETTLING_FRAMES = 25;
const JUDGED_FRAMES = 60;
const LEAST_SNR_DB = 25;
/** What leaks is as loud as what is meant; gaps on a busy machine smear a tone. */
export const LEAST_SEPARATION_DB = 30;

export const PLACING_RULES: readonly CallRule[] = [
  {
    title: 'what cannot be called is refused, and nothing is tried',
    async check({ account, connector: { platform }, refused }) {
      const before = account.offers;
      for (const { meetingUrl, detail, code } of refused) {
        const { status, body } = await account.api.post('/api/call', { platform, meeting_url: meetingUrl });
        expect([meetingUrl, status, body]).toEqual([meetingUrl, 400, { detail, code }]);
      }
      expect((await account.api.get('/api/calls')).body).toEqual({ calls: [] });
      expect(account.offers).toBe(before);
    },
  },
  {
    title: 'a call is connecting until it is answered, then both sides hear each other and not themselves',
    async check(subject) {
      const { call, offer } = await AgentCall.placed(subject);
      expect(await call.state()).toBe('connecting');
      const far = await offer.answer();
      await call.becomes('active');
      const agent = await call.join();
      const [farSpeaks, agentSpeaks] = [far.speak(FAR_HZ), streamTone(agent, AGENT_HZ, AHEAD_MS)];
      await agent.hear(SETTLING_FRAMES);
      const [atAgent, atFar] = await Promise.all([
        agent.hear(JUDGED_FRAMES),
        far.hears(JUDGED_FRAMES * FRAME_MS, subject.patienceMs),
      ]);
      farSpeaks.stop();
      agentSpeaks.stop();
      const { sampleRateHz } = agent;
      expect(analyzeTone(atAgent, sampleRateHz, FAR_HZ).snrDb).toBeGreaterThan(LEAST_SNR_DB);
      const ownDb = toneLevelDb(atAgent, sampleRateHz, AGENT_HZ);
      expect(ownDb).toBeLessThan(toneLevelDb(atAgent, sampleRateHz, FAR_HZ) - LEAST_SEPARATION_DB);
      expect(analyzeTone(atFar, far.sampleRateHz, AGENT_HZ).snrDb).toBeGreaterThan(LEAST_SNR_DB);
      await call.hangUp();
      await agent.closed;
    },
  },
  {
    title: 'keys go both ways',
    applies: ({ features }) => features.has('dtmf'),
    async check(subject) {
      const { call, far } = await AgentCall.active(subject);
      const agent = await call.join();
      const speaking = far.speak(FAR_HZ);
      await agent.hear(SETTLING_FRAMES);
      const sent = await call.account.api.post(`${call.path}/dtmf`, { digits: '19*#' });
      expect([sent.status, sent.body]).toEqual([200, { status: 'ok' }]);
      await call.waitFor('the last key', () => far.pressed!().endsWith('#'));
      expect(far.pressed!()).toBe('19*#');
      far.press!('5');
      await agent.waitFor('dtmf', { digit: '5' }, subject.patienceMs);
      speaking.stop();
      await call.hangUp();
      await agent.closed;
    },
  },
];
