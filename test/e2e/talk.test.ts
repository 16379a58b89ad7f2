import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { Gateway } from '../support/gateway.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();
const CALLER_HZ = 44_100;
const AGENT_HZ = 16_000;
const FRAMES = 100;

describe('a call to an agent by WebSocket', () => {
  let gateway: Gateway;
  let url: string;

  beforeAll(async () => {
    gateway = await Gateway.start({ env: { SVC_MAX_CALLS_PER_ACCOUNT: '3' } });
    const { agents } = (await gateway.settingsApi.get('/api/agents')).body;
    url = `${gateway.baseUrl.replace('http', 'ws')}/api/agents/${agents[0].id}/talk`;
  });
  afterAll(() => gateway?.stop());

  async function call(): Promise<{ readonly caller: Agent; readonly callId: string }> {
    const caller = await Agent.connect(`${url}?sample_rate=${CALLER_HZ}`, gateway.agentKey, CALLER_HZ);
    const { call_id: callId } = await caller.waitFor('ringing');
    return { caller, callId: callId as string };
  }

  async function accepted() {
    const talk = await call();
    await gateway.agentApi.post(`/api/call/${talk.callId}/accept`, {});
    await gateway.waitForState(talk.callId, 'active');
    return talk;
  }

  const pastCall = async (callId: string) => {
    const past = async () => (await gateway.agentApi.get(`/api/calls/history/${callId}`)).body;
    await waitFor('the call to be over', async () => (await past()).state !== undefined);
    return await past();
  };

  it('carries both voices, whatever the rates', { retry }, async () => {
    const { caller, callId } = await accepted();
    const shown = (await gateway.agentApi.get(`/api/call/${callId}`)).body;
    expect(shown).toMatchObject({
      platform: 'sip',
      direction: 'inbound',
      caller: 'browser',
      meeting_url: '',
    });
    expect(shown.audio.sample_rate).toBe(CALLER_HZ);
    const agent = await Agent.join(shown.audio.stream_url, gateway.agentKey, { sampleRateHz: AGENT_HZ });
    const tones = [streamTone(caller, 517, 200), streamTone(agent, 709, 200)];
    await Promise.all([caller.hear(50), agent.hear(50)]);
    const [heard, said] = await Promise.all([caller.hear(FRAMES), agent.hear(FRAMES)]);
    for (const tone of tones) tone.stop();
    expect(analyzeTone(heard, CALLER_HZ, 709).snrDb).toBeGreaterThan(30);
    expect(analyzeTone(said, AGENT_HZ, 517).snrDb).toBeGreaterThan(30);
    // Nobody hears themselves.
    expect(analyzeTone(heard, CALLER_HZ, 517).snrDb).toBeLessThan(0);

    await gateway.agentApi.delete(`/api/call/${callId}`);
    expect(await caller.closed).toBe(1000);
    expect(await pastCall(callId)).toMatchObject({ termination: { result: 'completed' } });
  });

  it('ends when the caller leaves, and is missed if nobody had answered', async () => {
    const { caller, callId } = await accepted();
    await caller.close();
    expect(await pastCall(callId)).toMatchObject({ state: 'ended', termination: { result: 'completed' } });
    const ringing = await call();
    await ringing.caller.close();
    const reason = 'caller hung up';
    expect(await pastCall(ringing.callId)).toMatchObject({ termination: { result: 'missed', reason } });
  });

  it('may be refused', async () => {
    const { caller, callId } = await call();
    await gateway.agentApi.post(`/api/call/${callId}/refuse`, {});
    expect(await caller.closed).toBe(1000);
    expect(await pastCall(callId)).toMatchObject({ state: 'refused', termination: { result: 'refused' } });
  });

  it.each([
    ['an agent of nobody', '/api/agents/agt_none/talk', 404],
    ['a rate that nothing has', '?sample_rate=96000', 422],
  ])('does not take %s', async (_, path, status) => {
    const at = path.startsWith('/') ? new URL(path, url).href : url + path;
    await expect(Agent.connect(at, gateway.agentKey, CALLER_HZ)).rejects.toThrow(`${status}`);
  });

  it('takes no more calls than the account may have', async () => {
    const { concurrent_calls: calls } = (await gateway.agentApi.get('/api/account')).body;
    const callers: Agent[] = [];
    for (let count = 0; count < calls.limit; count++) callers.push((await call()).caller);
    await expect(call()).rejects.toThrow('429');
    for (const caller of callers) await caller.close();
    await Promise.all(callers.map(({ closed }) => closed));
    await (await call()).caller.close();
  });
});
