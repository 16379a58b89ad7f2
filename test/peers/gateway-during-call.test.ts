import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import type { ShownCall } from '../support/gateway-pair.ts';
import { PhoneLine, type PhoneLineOptions } from '../support/phone-line.ts';
import { requirePeer } from '../support/require-peer.ts';
import { retryAudio } from '../support/stall-probe.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { isVoiced } from '../support/voiced.ts';
import { waitFor } from '../support/wait-for.ts';

const retry = retryAudio();

const SAMPLE_RATE_HZ = 16_000;
const AGENT_TONE_HZ = 1_037;
const PHONE_TONE_HZ = 440;
const HALF_SECOND_FRAMES = 25;
const ALL_KEYS = '1234567890*#';

describe.skipIf(requirePeer('baresip'))('during a call with a phone', { retry }, () => {
  let line: PhoneLine | null = null;

  afterEach(async () => {
    await line?.stop();
    line = null;
  });

  async function talk(options: PhoneLineOptions = {}): Promise<[PhoneLine, ShownCall, Agent]> {
    line = await PhoneLine.start(options);
    const call = await line.talk();
    const agent = await Agent.join(call.audio.stream_url, line.gateway.agentKey, {
      sampleRateHz: SAMPLE_RATE_HZ,
    });
    return [line, call, agent];
  }

  async function hangUp({ gateway, phone }: PhoneLine, call: ShownCall): Promise<void> {
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await phone.waitFor('CALL_CLOSED');
  }

  it.each(['PCMU', 'PCMA'] as const)('agent and phone hear each other in %s', async (codec) => {
    const [{ phone }, call, agent] = await talk({ phone: { codecs: [codec] } });
    const speaking = streamTone(agent, AGENT_TONE_HZ, 200);
    await agent.hear(25);
    const heard = await agent.hear(150);
    const media = await phone.mediaReport();
    expect(media).toMatch(new RegExp(`encode: ${codec} `));
    expect(media).toMatch(new RegExp(`decode: ${codec} `));
    speaking.stop();
    await hangUp(line!, call);
    const atAgent = analyzeTone(heard, SAMPLE_RATE_HZ, PHONE_TONE_HZ);
    expect(atAgent.snrDb).toBeGreaterThan(30);
    const recording = phone.recordings()[0]!;
    const atPhone = analyzeTone(recording.samples, recording.sampleRateHz, AGENT_TONE_HZ);
    expect(atPhone.snrDb).toBeGreaterThan(30);
    expect(atPhone.lengthMs).toBeGreaterThan(3_000);
  });

  it('a phone that listens before its answer hears nothing of the agent until then', async () => {
    line = await PhoneLine.start({ phone: { answer: 'early' } });
    const { gateway, phone } = line;
    const call = await gateway.placeCall(phone.uri);
    const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, {
      sampleRateHz: SAMPLE_RATE_HZ,
    });
    const speaking = streamTone(agent, AGENT_TONE_HZ, 200);
    await agent.hear(100);
    const { body } = await gateway.agentApi.get(`/api/call/${call.call_id}`);
    expect(body).toMatchObject({ state: 'connecting', progress: 'early_media' });
    expect(phone.output).toContain("incoming rtp for 'audio' established");
    expect(phone.lastPeak()).toBeLessThan(10);
    await phone.answer();
    await agent.waitFor('call_state', { state: 'active' });
    await waitFor('the agent to be heard', () => phone.lastPeak() > 1_000);
    await waitFor('the phone to be heard', () => voicedLately(agent) === HALF_SECOND_FRAMES);
    speaking.stop();
    await hangUp(line, call);
  });

  it('the phone gets each DTMF digit of the agent once and in order', async () => {
    const [{ gateway, phone }, call] = await talk();
    for (const digits of ['1234#*', ALL_KEYS]) {
      const { status, body } = await gateway.agentApi.post(`/api/call/${call.call_id}/dtmf`, { digits });
      expect([status, body]).toEqual([200, { status: 'ok' }]);
    }
    const all = `1234#*${ALL_KEYS}`;
    await waitFor('all keys', () => phone.receivedDigits.length >= all.length);
    await hangUp(line!, call);
    expect(phone.receivedDigits).toBe(all);
  });

  it('every call WebSocket gets each DTMF digit of the phone once and in order', async () => {
    const [{ gateway, phone }, call, agent] = await talk();
    const other = await Agent.connect(call.audio.stream_url, gateway.agentKey, SAMPLE_RATE_HZ);
    const keysOf = ({ events }: Agent) =>
      events.flatMap((event) => (event.type === 'dtmf' ? [event.digit] : [])).join('');
    const keys = `${ALL_KEYS}11`;
    for (const [index, key] of [...keys].entries()) {
      await phone.sendDtmf(key);
      await waitFor(`key ${key}`, () => keysOf(agent).length > index);
    }
    await hangUp(line!, call);
    await agent.closed;
    expect(keysOf(agent)).toBe(keys);
    expect(keysOf(other)).toBe(keys);
  });

  it('the agent hears silence while the phone holds, and both hear each other afterwards', async () => {
    const [{ gateway, phone }, call, agent] = await talk();
    const speaking = streamTone(agent, AGENT_TONE_HZ, 200);
    const phoneIsHeard = () =>
      waitFor('the phone to be heard', () => voicedLately(agent) === HALF_SECOND_FRAMES);
    await phoneIsHeard();
    for (let round = 0; round < 2; round++) {
      await phone.hold();
      await agent.waitFor('call_hold', { on_hold: true });
      await waitFor('silence', () => voicedLately(agent) === 0);
      await agent.hear(100);
      expect(agent.heard.slice(-100).filter(isVoiced).length).toBe(0);
      expect((await gateway.agentApi.get(`/api/call/${call.call_id}`)).body.state).toBe('active');
      await phone.resume();
      await agent.waitFor('call_hold', { on_hold: false });
      await phoneIsHeard();
      const heard = await agent.hear(100);
      expect(analyzeTone(heard, SAMPLE_RATE_HZ, PHONE_TONE_HZ).snrDb).toBeGreaterThan(30);
      expect(findToneBreaks(heard, SAMPLE_RATE_HZ, PHONE_TONE_HZ)).toEqual([]);
    }
    // It records no more after a hold, but it can say what it hears.
    await phone.echo();
    await waitFor('the echo', () => hears(agent, AGENT_TONE_HZ));
    expect(analyzeTone(await agent.hear(150), SAMPLE_RATE_HZ, AGENT_TONE_HZ).snrDb).toBeGreaterThan(30);
    speaking.stop();
    expect(agent.errors).toEqual([]);
    await hangUp(line!, call);
  });
});

/** How many frames of the last half second hold sound. */
function voicedLately({ heard }: Agent): number {
  return heard.slice(-HALF_SECOND_FRAMES).filter(isVoiced).length;
}

/** Whether half a second of nothing but this tone was heard just now. */
function hears(agent: Agent, toneHz: number): boolean {
  const recent = agent.heardSamples(Math.max(0, agent.heard.length - HALF_SECOND_FRAMES));
  return analyzeTone(recent, agent.sampleRateHz, toneHz).snrDb > 20;
}
