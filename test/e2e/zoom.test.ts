import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeCrc } from '../fakes/zoom/fake-crc.ts';
import { Agent } from '../support/agent.ts';
import { Gateway } from '../support/gateway.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const DNS = fileURLToPath(new URL('../support/dns-records.mjs', import.meta.url));
const MEETINGS = [
  { id: '81234567890', passcode: '123456', lets: 'in' },
  { id: '82222222222', passcode: '', lets: 'in' },
  { id: '83333333333', passcode: '', lets: 'to-waiting-room' },
  { id: '84444444444', passcode: '', lets: 'not-begun' },
  { id: '85555555555', passcode: '', lets: 'unlicensed' },
  { id: '86666666666', passcode: '', lets: 'excluded' },
] as const;

describe('a Zoom meeting', () => {
  let crc: FakeCrc;
  let gateway: Gateway;

  beforeAll(async () => {
    crc = await FakeCrc.start({ meetings: MEETINGS });
    gateway = await Gateway.start({
      env: {
        SVC_SIP_DIRECT_HOSTS: 'zoomcrc.com',
        SVC_SIP_TLS_CA_FILE: crc.certificatePath,
        SVC_SIP_TRUNK_ALLOW: '127.0.0.1',
        NODE_OPTIONS: `--import=${DNS}`,
        TEST_DNS: JSON.stringify(crc.records()),
      },
    });
  });
  afterAll(async () => {
    await gateway?.stop();
    await crc?.stop();
  });

  const join = (meetingUrl: string, fields = {}) =>
    gateway.placeCall(meetingUrl, { platform: 'zoom', agent_name: 'Ada', ...fields });

  async function ended(callId: string): Promise<{ result: string; reason: string }> {
    const call = await waitFor('the end of the call', async () => {
      const { body } = await gateway.agentApi.get(`/api/call/${callId}`);
      return body.state === 'disconnected' && body;
    });
    return call.termination;
  }

  it.each([
    ['81234567890.123456@zoomcrc.com', '81234567890.123456'],
    ['sips:81234567890.123456..1@zoomcrc.com', '81234567890.123456..1'],
    ['81234567890.123456.1@global.zoomcrc.com', '81234567890.123456.1'],
    ['https://us02web.zoom.us/j/82222222222', '82222222222'],
  ])('is joined over TLS by %s, without a trunk', async (meetingUrl, user) => {
    const call = await join(meetingUrl);
    expect([call.audio.sample_rate, call.capabilities]).toEqual([16_000, ['audio_in', 'audio_out']]);
    await gateway.waitForState(call.call_id, 'active');
    const caller = await crc.caller(user);
    await caller.reaches('meeting');
    expect(caller).toMatchObject({ displayName: 'Ada', protocol: 'TLS', format: { codec: 'G722' } });
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await caller.reaches('over');
    expect([caller.faults, crc.violations]).toEqual([[], []]);
  });

  it('asks for the passcode of a link, which is pressed', async () => {
    const call = await join('https://zoom.us/j/81234567890?pwd=Q1RzZ2NtWn.1', { dtmf: ',123456#' });
    const caller = await crc.caller('81234567890');
    await caller.reaches('meeting');
    await gateway.waitForState(call.call_id, 'active');
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await caller.reaches('over');
    expect(caller.faults).toEqual([]);
  });

  it('is ended by its host, and admits from its waiting room', async () => {
    const call = await join('83333333333@zoomcrc.com');
    const caller = await crc.caller('83333333333');
    await caller.reaches('waiting-room');
    caller.admit();
    await caller.reaches('meeting');
    await gateway.waitForState(call.call_id, 'active');
    caller.hangUp();
    await waitFor('the call to be over', async () => {
      return (await gateway.agentApi.get(`/api/call/${call.call_id}`)).status === 404;
    });
  });

  it.each([
    ['89999999999', 'failed', 'Zoom knows no such meeting, it has not begun, or the passcode is wrong'],
    ['84444444444', 'failed', 'Zoom knows no such meeting, it has not begun, or the passcode is wrong'],
    [
      '85555555555',
      'refused',
      'Zoom lets no room system in: the host has no Conference Room Connector, all its ports are in use, or the meeting excludes them',
    ],
    [
      '86666666666',
      'refused',
      'Zoom lets no room system in: the host has no Conference Room Connector, all its ports are in use, or the meeting excludes them',
    ],
  ])('refuses: %s', async (id, result, reason) => {
    const { call_id } = await join(`${id}@zoomcrc.com`);
    expect(await ended(call_id)).toEqual({ result, reason });
  });

  it('needs a trunk for its numbers', async () => {
    const body = { platform: 'zoom', meeting_url: '+16465588656,,81234567890#,,,,*123456#' };
    const answer = await gateway.agentApi.post('/api/call', body);
    expect([answer.status, answer.body]).toEqual([
      400,
      {
        code: 'no_sip_trunk',
        detail: 'No SIP trunk configured; without one, only zoomcrc.com can be called',
      },
    ]);
  });

  it('is heard and spoken to at 16 kHz', async () => {
    const call = await join('81234567890.123456.2@zoomcrc.com');
    const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: 16_000 });
    await gateway.waitForState(call.call_id, 'active');
    const speaking = streamTone(agent, 5_000, 200);
    await agent.hear(50);
    const heard = analyzeTone(await agent.hear(100), 16_000, 5_000);
    speaking.stop();
    // G.722 has two bits a sample for its higher band.
    expect(heard.snrDb).toBeGreaterThan(18);
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
  });
});
