import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LoopbackWorld } from '../loopback/loopback-world.ts';
import { PLATFORM } from '../loopback/platform.ts';
import type { Meeting } from '../loopback/server/meeting.ts';
import { Agent } from '../support/agent.ts';
import type { AnyJson } from '../support/any-json.ts';
import type { Answer } from '../support/gateway-api.ts';
import { connectMcp } from '../support/mcp-client.ts';
import { toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const SAMPLE_RATE_HZ = 48_000;
const SECOND_FRAMES = 50;
const PEOPLE = { Ada: 300, Ben: 700, Cleo: 1_900 };
const VOICES_HZ = Object.values(PEOPLE);
const AGENT_HZ = 1_300;
const APART_DB = 40;
const PNG = Buffer.from('89504e470d0a1a0a', 'hex');

let world: LoopbackWorld;

beforeAll(async () => {
  world = await LoopbackWorld.start();
  await world.bot('Attendant');
});
afterAll(() => world?.stop());

const api = () => world.gateway.agentApi;

function meetingOfThree(): Meeting {
  const meeting = world.vendor.meeting();
  for (const [name, toneHz] of Object.entries(PEOPLE)) meeting.enter(name, toneHz);
  return meeting;
}

function place(meeting: Meeting, media: 'pcm' | 'packets' = 'pcm', fields: object = {}): Promise<Answer> {
  const meeting_url = world.vendor.meetingUrl(meeting, media);
  return api().post('/api/call', { platform: PLATFORM, meeting_url, agent_name: 'Attendant', ...fields });
}

async function activeCall(meeting: Meeting, media?: 'pcm' | 'packets') {
  const { status, body } = await place(meeting, media);
  expect([status, body.state]).toEqual([200, 'connecting']);
  await world.gateway.waitForState(body.call_id, 'active');
  return body;
}

async function hangUp(callId: string): Promise<void> {
  expect((await api().delete(`/api/call/${callId}`)).status).toBe(202);
}

function join(call: { audio: { stream_url: string } }): Promise<Agent> {
  const { stream_url: url } = call.audio;
  return Agent.join(url, world.gateway.agentKey, { sampleRateHz: SAMPLE_RATE_HZ });
}

/** Expects exactly these tones. */
function expectTones(samples: Int16Array, expectedHz: readonly number[]): void {
  const levels = [...VOICES_HZ, AGENT_HZ].map((hz) => ({ hz, db: toneLevelDb(samples, SAMPLE_RATE_HZ, hz) }));
  const present = levels.filter(({ hz }) => expectedHz.includes(hz)).map(({ db }) => db);
  const absent = levels.filter(({ hz }) => !expectedHz.includes(hz)).map(({ db }) => db);
  for (const db of present) expect(db).toBeGreaterThan(-20);
  expect(Math.max(...absent)).toBeLessThan(Math.min(...present) - APART_DB);
}

describe.each(['pcm', 'packets'] as const)('a meeting by %s', (media) => {
  it('is heard as one mix without the agent, who is heard there; three voices have names', async () => {
    const meeting = meetingOfThree();
    const call = await activeCall(meeting, media);
    expect(call).toMatchObject({
      platform: PLATFORM,
      audio: { sample_rate: SAMPLE_RATE_HZ, frame_bytes: 1_920, direction: 'bidirectional' },
      capabilities: ['audio_in', 'audio_out', 'read', 'write', 'typing', 'files'],
    });
    const agent = await join(call);
    const tone = agent.startTone(AGENT_HZ, 6_000);
    await agent.hear(SECOND_FRAMES);
    expectTones(await agent.hear(SECOND_FRAMES), VOICES_HZ);
    await meeting.session.heard.next(SAMPLE_RATE_HZ);
    expectTones(await meeting.session.heard.next(SAMPLE_RATE_HZ), [AGENT_HZ]);
    tone.stop();

    const { body } = await api().get(`/api/call/${call.call_id}`);
    expect(body.participants.map(({ name }: { name: string }) => name)).toEqual(Object.keys(PEOPLE));
    const cleo = body.participants[2];
    meeting.speak(meeting.people[2]!, false);
    const silent = await agent.waitFor('call_speaking', { name: 'Cleo', speaking: false });
    expect(silent).toMatchObject({ participant_id: cleo.id, voice_id: expect.any(Number) });
    meeting.speak(meeting.people[2]!, true);
    await agent.waitFor('call_speaking', { name: 'Cleo', speaking: true, voice_id: silent.voice_id });
    await agent.close();
    await hangUp(call.call_id);
    await waitFor('the agent to leave', () => meeting.session.state === 'over');
  });
});

describe('a lobby', () => {
  it('shows why the call waits, until the host admits it', async () => {
    const meeting = meetingOfThree();
    meeting.hasLobby = true;
    const { body: call } = await place(meeting);
    const path = `/api/call/${call.call_id}`;
    await waitFor('the reason', async () => 'waiting_reason' in (await api().get(path)).body);
    expect((await api().get(path)).body).toMatchObject({
      state: 'connecting',
      waiting_reason: 'waiting for the host',
    });
    const agent = await Agent.connect(call.audio.stream_url, world.gateway.agentKey, SAMPLE_RATE_HZ);
    await agent.waitFor('call_waiting', { reason: 'waiting for the host' });
    meeting.admit();
    await agent.waitFor('call_state', { state: 'active' });
    const { body: admitted } = await api().get(path);
    expect(admitted).toMatchObject({ state: 'active' });
    expect(admitted).not.toHaveProperty('waiting_reason');
    await agent.close();
    await hangUp(call.call_id);
  });

  it('turns the agent away: the call is over, with the reason in the host’s words', async () => {
    const meeting = meetingOfThree();
    meeting.hasLobby = true;
    const { body: call } = await place(meeting);
    await waitFor('the lobby', () => meeting.sessions.length === 1);
    meeting.deny();
    const path = `/api/call/${call.call_id}`;
    await waitFor('the end', async () => (await api().get(path)).body.ended_at !== null);
    expect((await api().get(path)).body.termination).toEqual({
      result: 'refused',
      reason: 'the host declined',
    });
  });
});

describe('people in a meeting', () => {
  it('come and go', async () => {
    const meeting = meetingOfThree();
    const call = await activeCall(meeting);
    const agent = await join(call);
    const dan = meeting.enter('Dan', 500);
    const { voice_id } = await agent.waitFor('call_speaking', { name: 'Dan', speaking: true });
    meeting.leave(dan);
    await agent.waitFor('call_speaking', { voice_id, speaking: false });
    await waitFor('the list without Dan', async () => {
      const { body } = await api().get(`/api/call/${call.call_id}`);
      return body.participants.length === 3;
    });
    meeting.end();
    await agent.waitFor('call_state', { state: 'ended' });
    await agent.close();
  });
});

describe('the chat of a meeting', () => {
  it('goes both ways, with files', async () => {
    const meeting = meetingOfThree();
    const call = await activeCall(meeting);
    const agent = await join(call);
    const { cursor } = (await api().get('/api/inbox')).body;

    const file = world.vendor.files.keep('dot.png', 'image/png', PNG);
    meeting.write('Ada', 'Look at this', [file]);
    const heard = await agent.waitFor('call_chat', { sender: 'Ada', text: 'Look at this' });
    const [attachment] = heard.attachments as { name: string; mime: string; size: number; url: string }[];
    expect(attachment).toMatchObject({ name: 'dot.png', mime: 'image/png', size: PNG.length });
    expect(Buffer.from(await (await fetch(attachment!.url)).arrayBuffer())).toEqual(PNG);
    const told = await waitFor('the chat in the feed', async () => {
      const inbox = await api().get(`/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`);
      return inbox.body.events.find(({ type }: AnyJson) => type === 'call_chat');
    });
    expect(told).toMatchObject({ call_id: call.call_id, text: 'Look at this' });

    const upload = { bytes_b64: PNG.toString('base64'), name: 'answer.png', mime: 'image/png' };
    const { body: uploaded } = await api().post('/api/files', upload);
    const path = `/api/call/${call.call_id}`;
    expect((await api().post(`${path}/typing`)).status).toBe(200);
    const chat = { text: 'I see', attachments: [{ file_id: uploaded.file_id }] };
    expect((await api().post(`${path}/chat`, chat)).status).toBe(200);
    const [written] = meeting.written;
    expect(written).toMatchObject({ sender: 'Attendant', text: 'I see', files: [{ name: 'answer.png' }] });
    expect(world.vendor.files.get(written!.files[0]!.id).bytes).toEqual(PNG);
    agent.send({ type: 'send_chat', text: 'And more' });
    await waitFor('the message over the WebSocket', () => meeting.written.length === 2);
    expect(meeting.typing).toEqual(['Attendant']);
    // The vendor echoes what the agent writes; the agent does not hear itself.
    meeting.write('Ben', 'Last');
    await agent.waitFor('call_chat', { text: 'Last' });
    expect(agent.events.filter(({ type }) => type === 'call_chat').map(({ sender }) => sender)).toEqual([
      'Ada',
      'Ben',
    ]);
    await agent.close();
    await hangUp(call.call_id);
  });

  it('tells what the vendor refuses, in its words', async () => {
    const meeting = meetingOfThree();
    const call = await activeCall(meeting);
    meeting.refusals.set('rude words', 'Mind your language');
    const path = `/api/call/${call.call_id}/chat`;
    const refused = await api().post(path, { text: 'rude words' });
    expect([refused.status, refused.body.detail]).toEqual([
      502,
      expect.stringContaining('Mind your language'),
    ]);
    const tooLong = await api().post(path, { text: 'x'.repeat(2_001) });
    expect([tooLong.status, tooLong.body.detail]).toEqual([502, expect.stringContaining('too long')]);
    await hangUp(call.call_id);
  });
});

describe('an agent that only has MCP', () => {
  it('waits in the lobby, takes part in the chat and leaves', async () => {
    const meeting = meetingOfThree();
    meeting.hasLobby = true;
    const { baseUrl, agentKey } = world.gateway;
    const client = await connectMcp({ kind: 'v2 modern', path: 'http', baseUrl, apiKey: agentKey });
    const ask = async (tool: string, input: Record<string, unknown>) => {
      const answer = await client.call(tool, input);
      expect(answer.isError, answer.text).toBe(false);
      return answer.structured;
    };
    const { last_message_cursor } = await ask('svc_account', {});
    const meeting_url = world.vendor.meetingUrl(meeting);
    const { call_id } = await ask('svc_call_join', { platform: PLATFORM, meeting_url });
    const status = () => ask('svc_call_status', { call_id });
    await waitFor('the lobby', async () => (await status()).waiting_reason === 'waiting for the host');
    meeting.admit();
    await waitFor('the meeting', async () => (await status()).state === 'active');
    await waitFor('the people', async () => (await status()).participants?.length === 3);
    const admitted = await status();
    expect(admitted).not.toHaveProperty('waiting_reason');

    meeting.write('Ada', 'Can you hear us?');
    const heard = await waitFor('the question', async () => {
      const { events } = await ask('svc_inbox', { last_message_cursor, wait: 10 });
      return events.find(({ type }: { type: string }) => type === 'call_chat');
    });
    expect(heard).toMatchObject({ call_id, sender: 'Ada', text: 'Can you hear us?' });
    await ask('svc_call_typing', { call_id });
    await ask('svc_call_chat', { call_id, text: 'Loud and clear' });
    expect(meeting.written).toMatchObject([{ sender: 'AI Agent', text: 'Loud and clear' }]);
    expect(meeting.typing).toEqual(['AI Agent']);
    await ask('svc_call_leave', { call_id });
    await waitFor('the agent to leave', () => meeting.session.state === 'over');
    await client.close();
  });
});

describe('a meeting URL', () => {
  it('must be one of the vendor', async () => {
    const post = (meeting_url: string) => api().post('/api/call', { platform: PLATFORM, meeting_url });
    const answers = await Promise.all(
      ['', 'https://elsewhere.example/meet/1', `${world.vendor.baseUrl}/else`, 'nonsense'].map(post),
    );
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 400, 400]);
  });

  it('of no meeting ends the call with the vendor’s words', async () => {
    const { body } = await api().post('/api/call', {
      platform: PLATFORM,
      meeting_url: `${world.vendor.baseUrl}/meet/nowhere`,
    });
    const path = `/api/call/${body.call_id}`;
    await waitFor('the end', async () => (await api().get(path)).body.ended_at !== null);
    expect((await api().get(path)).body).toMatchObject({
      state: 'disconnected',
      termination: { result: 'failed', reason: 'There is no such meeting' },
    });
  });
});
