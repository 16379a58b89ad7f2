import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { silence, toneSpeech } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import { Gateway } from '../support/gateway.ts';
import { startMediaClock } from '../support/media-clock.ts';
import type { SipRequest } from '../support/sip-message.ts';
import { tone } from '../support/tone.ts';
import { toneLevelDb } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';
import { dialogOf } from '../unit/connectors/sip/signaling/phone-scene.ts';
import { ScriptedPeer, sdp } from '../unit/connectors/sip/signaling/scripted-peer.ts';
import { RtpPeer } from '../unit/rtp/rtp-peer.ts';

const RATE_HZ = 8_000;
const ANNOUNCED_HZ = 1_000;
const ANSWERED_HZ = 700;
const AGENT_HZ = 440;
const NUMBER = '+33100000001';
const LAWS = { PCMU: 0, PCMA: 8 } as const;

const FORMAT = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;

let gateway: Gateway;
let vendor: FakeVendor;
let peer: ScriptedPeer;
let announcer: RtpPeer;
let phone: RtpPeer;
const stops: (() => void)[] = [];

beforeAll(async () => {
  vendor = await startVendor('deepgram');
  gateway = await Gateway.start({ env: { SVC_DEEPGRAM_URL: vendor.url } });
  gateway.secrets.add(vendor.keyThatIs('valid'));
});
afterAll(async () => {
  await gateway?.stop();
  await vendor?.stop();
});

beforeEach(async () => {
  peer = await ScriptedPeer.start();
  peer.facing(gateway.sipPort);
  announcer = await RtpPeer.start();
  phone = await RtpPeer.start();
  await gateway.putTrunk({ host: '127.0.0.1', port: peer.port });
});
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  peer.stop();
  announcer.close();
  phone.close();
});

interface Dialling {
  readonly callId: string;
  readonly agent: Agent;
  readonly invite: SipRequest;
  /** Where the gateway receives RTP. */
  readonly rtpPort: number;
}

/** An agent that speaks from the beginning calls the peer. */
async function dial(): Promise<Dialling> {
  const call = await gateway.placeCall(`sip:+33123456789@127.0.0.1`);
  const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: RATE_HZ });
  const speaking = agent.startTone(AGENT_HZ);
  stops.push(() => {
    speaking.stop();
    void agent.close();
  });
  const invite = await peer.request('INVITE');
  const rtpPort = Number(/m=audio (?<port>\d+)/.exec(invite.content)?.groups?.port);
  return { callId: call.call_id, agent, invite, rtpPort };
}

/** Streams a tone until the test is over. */
function streamTone(from: RtpPeer, codec: keyof typeof LAWS, toneHz: number, toPort: number): void {
  const clock = startMediaClock((index) => {
    const samples = tone(toneHz, RATE_HZ, 160, { fromSample: index * 160 });
    void from.send(from.build(codec, LAWS[codec], samples), toPort);
  });
  stops.push(() => clock.stop());
}

const shown = async (callId: string) => (await gateway.agentApi.get(`/api/call/${callId}`)).body;

const hears = (agent: Agent, toneHz: number): boolean => {
  const heard = agent.heardSamples(-25);
  return heard.length >= 4_000 && toneLevelDb(heard, RATE_HZ, toneHz) > -20;
};

/** What has come with `events` in the inbox since the cursor. */
async function eventsSince(cursor: string): Promise<Record<string, unknown>[]> {
  const { body } = await gateway.agentApi.get(`/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`);
  return body.events ?? [];
}

/** The two events of this type since the cursor. The feed is written a moment after the call WebSocket is told. */
const twoSince = (cursor: string, type: string): Promise<Record<string, unknown>[]> =>
  waitFor(`two ${type} in the inbox`, async () => {
    const events = (await eventsSince(cursor)).filter((event) => event.type === type);
    return events.length >= 2 && events;
  });
const cursorNow = async (): Promise<string> => (await gateway.agentApi.get('/api/inbox')).body.cursor;

describe('a call that is not answered yet', () => {
  it('lets the agent hear an announcement, and the far end nothing; then both talk elsewhere', async () => {
    const cursor = await cursorNow();
    const { callId, agent, invite, rtpPort } = await dial();
    peer.answer(invite, 180);
    await agent.waitFor('call_progress', { progress: 'ringing' });
    expect(await shown(callId)).toMatchObject({ state: 'connecting', progress: 'ringing' });
    expect(agent.heard).toEqual([]);

    peer.answer(invite, 183, { body: sdp(announcer.port, { codecs: '0 101' }) });
    streamTone(announcer, 'PCMU', ANNOUNCED_HZ, rtpPort);
    await agent.waitFor('call_progress', { progress: 'early_media' });
    await waitFor('the announcement to be heard', () => hears(agent, ANNOUNCED_HZ));
    await agent.hear(50);
    expect(await shown(callId)).toMatchObject({ state: 'connecting', progress: 'early_media' });
    const late = await Agent.join((await shown(callId)).audio.stream_url, gateway.agentKey, {
      sampleRateHz: RATE_HZ,
    });
    expect(late.events).toContainEqual({ type: 'call_progress', progress: 'early_media' });
    await waitFor('the second agent to hear it', () => hears(late, ANNOUNCED_HZ));
    await late.close();
    expect(announcer.packets.length).toBeGreaterThan(10);
    expect(announcer.audio('PCMU', 0).every((sample) => Math.abs(sample) < 10)).toBe(true);

    peer.answer(invite, 200, { body: sdp(phone.port, { codecs: '8 101', version: 2 }) });
    streamTone(phone, 'PCMA', ANSWERED_HZ, rtpPort);
    await agent.waitFor('call_state', { state: 'active' });
    await waitFor('the phone to be heard', () => hears(agent, ANSWERED_HZ));
    await waitFor('the agent to be heard', () => {
      const heard = phone.audio('PCMA', 8).slice(-4_000);
      return heard.length === 4_000 && toneLevelDb(heard, RATE_HZ, AGENT_HZ) > -20;
    });
    expect(await shown(callId)).not.toHaveProperty('progress');
    expect(announcer.audio('PCMU', 0).every((sample) => Math.abs(sample) < 10)).toBe(true);
    expect(await twoSince(cursor, 'call_progress')).toMatchObject([
      { call_id: callId, state: 'connecting', progress: 'ringing' },
      { call_id: callId, state: 'connecting', progress: 'early_media' },
    ]);
    expect(agent.errors).toEqual([]);
    await gateway.agentApi.delete(`/api/call/${callId}`);
  });

  it('lets the agent hear why it fails', async () => {
    const { callId, agent, invite, rtpPort } = await dial();
    peer.answer(invite, 183, { body: sdp(announcer.port, { codecs: '0 101', direction: 'sendonly' }) });
    streamTone(announcer, 'PCMU', ANNOUNCED_HZ, rtpPort);
    await waitFor('the announcement to be heard', () => hears(agent, ANNOUNCED_HZ));
    peer.answer(invite, 404);
    await agent.waitFor('call_error', { code: 'call_failed' });
    const termination = { result: 'failed', reason: '404 Scripted' };
    expect(await shown(callId)).toMatchObject({ state: 'disconnected', termination });
    expect(announcer.packets).toEqual([]);
  });
});

describe('hosted speech on a call that is not answered yet', () => {
  const fromBytes = (audio: Uint8Array): Int16Array =>
    new Int16Array(audio.buffer, audio.byteOffset, audio.byteLength / 2);

  /** Says words after a moment of silence, and goes on with silence. Returns whether all was said. */
  function announce(from: RtpPeer, words: string, toPort: number): () => boolean {
    const said = [silence(300, FORMAT), toneSpeech(words, FORMAT)]
      .map(fromBytes)
      .flatMap((part) => [...part]);
    let sent = 0;
    const clock = startMediaClock((index) => {
      const samples = new Int16Array(160);
      sent = index * 160;
      samples.set(said.slice(index * 160, index * 160 + 160));
      void from.send(from.build('PCMU', 0, samples), toPort);
    });
    stops.push(() => clock.stop());
    return () => sent > said.length;
  }

  beforeAll(async () => {
    for (const kind of ['stt', 'tts']) {
      const preset = { kind, provider: 'deepgram', api_key: vendor.keyThatIs('valid') };
      expect((await gateway.settingsApi.post('/api/voice-configs', preset)).status).toBe(200);
    }
  });

  it('understands the announcement, and speaks only when the phone is answered', async () => {
    const cursor = await cursorNow();
    const { callId, agent, invite, rtpPort } = await dial();
    peer.answer(invite, 183, { body: sdp(announcer.port, { codecs: '0 101' }) });
    announce(announcer, 'alpha bravo', rtpPort);
    expect((await gateway.agentApi.post(`/api/call/${callId}/say`, { text: 'golf' })).status).toBe(200);
    await agent.waitFor('call_transcript', { text: 'alpha bravo' });
    expect(await shown(callId)).toMatchObject({ state: 'connecting', progress: 'early_media' });
    const [heard] = (await eventsSince(cursor)).filter(({ type }) => type === 'call_transcript');
    expect(heard).toMatchObject({ call_id: callId, state: 'connecting', text: 'alpha bravo' });
    expect(announcer.audio('PCMU', 0).every((sample) => Math.abs(sample) < 10)).toBe(true);

    peer.answer(invite, 200, { body: sdp(phone.port, { codecs: '0 101', version: 2 }) });
    announce(phone, 'charlie', rtpPort);
    await agent.waitFor('utterance', { state: 'finished', spoken_text: 'golf' });
    await agent.waitFor('call_transcript', { text: 'charlie' });
    expect(announcer.audio('PCMU', 0).every((sample) => Math.abs(sample) < 10)).toBe(true);
    await gateway.agentApi.delete(`/api/call/${callId}`);
  });

  it('understands why a call fails', async () => {
    const cursor = await cursorNow();
    const { callId, agent, invite, rtpPort } = await dial();
    peer.answer(invite, 180, { body: sdp(announcer.port, { codecs: '0', direction: 'sendonly' }) });
    await waitFor('the end of the announcement', announce(announcer, 'delta echo', rtpPort));
    peer.answer(invite, 404);
    await agent.waitFor('call_error', { code: 'call_failed' });
    const line = await waitFor('the words', async () =>
      (await eventsSince(cursor)).find(({ type }) => type === 'call_transcript'),
    );
    expect(line).toMatchObject({ call_id: callId, text: 'delta echo' });
    expect(announcer.packets).toEqual([]);
  });
});

it('a call that the far end holds says so until it is taken back', async () => {
  const cursor = await cursorNow();
  const { callId, agent, invite } = await dial();
  peer.answer(invite, 200, { body: sdp(phone.port) });
  await agent.waitFor('call_state', { state: 'active' });
  const { dialog, contact } = dialogOf(invite);
  const offer = (cseq: number, direction: string): void => {
    peer.send('INVITE', contact, { ...dialog, cseq, body: sdp(phone.port, { direction, version: cseq }) });
  };
  offer(1, 'sendonly');
  await agent.waitFor('call_hold', { on_hold: true });
  peer.send('ACK', contact, { ...dialog, cseq: 1 });
  expect(await shown(callId)).toMatchObject({ state: 'active', on_hold: true });
  const late = await Agent.join((await shown(callId)).audio.stream_url, gateway.agentKey, {
    sampleRateHz: RATE_HZ,
  });
  expect(late.events).toContainEqual({ type: 'call_hold', on_hold: true });
  offer(2, 'sendrecv');
  await late.waitFor('call_hold', { on_hold: false });
  await late.close();
  expect(await shown(callId)).not.toHaveProperty('on_hold');
  expect(await twoSince(cursor, 'call_hold')).toMatchObject([
    { call_id: callId, state: 'active', on_hold: true },
    { call_id: callId, state: 'active', on_hold: false },
  ]);
  await gateway.agentApi.delete(`/api/call/${callId}`);
});

it('an invitation has the headers that came with it, and so has the call while it lives', async () => {
  await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: false });
  const cursor = await cursorNow();
  const headers = ['User-to-User: 3132;encoding=hex', 'X-Ticket: 7', 'X-Api-Key: s3cret'];
  peer.send('INVITE', `sip:${NUMBER}@127.0.0.1:${gateway.sipPort}`, {
    callId: 'told',
    cseq: 1,
    headers,
    body: sdp(),
  });
  await peer.response(180, 'INVITE');
  const invite = await waitFor('the invitation', async () =>
    (await eventsSince(cursor)).find(({ type }) => type === 'call_invite'),
  );
  const sip_headers = { 'user-to-user': '3132;encoding=hex', 'x-ticket': '7' };
  expect(invite).toMatchObject({ state: 'ringing', sip_headers });
  expect(await shown(`${invite.call_id}`)).toMatchObject({ state: 'ringing', sip_headers });
  await gateway.agentApi.post(`/api/call/${invite.call_id}/refuse`);
  const over = await shown(`${invite.call_id}`);
  expect(over.state).toBe('refused');
  expect(over).not.toHaveProperty('sip_headers');
  expect(gateway.output).not.toContain('s3cret');
});
