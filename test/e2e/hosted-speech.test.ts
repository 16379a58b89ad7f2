import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { silence, toneSpeech, understand } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import type { AnyJson } from '../support/any-json.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { waitFor } from '../support/wait-for.ts';

const RATE_HZ = 8_000;
const FORMAT = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;
const WORDS = 'alpha bravo charlie delta';

let vendor: FakeVendor;
let pair: GatewayPair;
/** The far end's number, as the transcript names it. */
let speaker: string;
let call_id: string;
/** The agent of the call with hosted speech: one client that wants interim results, and one that does not. */
let agent: Agent;
let other: Agent;
/** The person at the other end, with raw audio. */
let person: Agent;
const presets: string[] = [];

beforeAll(async () => {
  vendor = await startVendor('deepgram');
  const api_key = vendor.keyThatIs('valid');
  pair = await GatewayPair.start({ caller: { env: { SVC_DEEPGRAM_URL: vendor.url } } });
  pair.caller.secrets.add(api_key);
  for (const kind of ['stt', 'tts']) {
    const preset = { kind, provider: 'deepgram', api_key };
    const { status, body } = await pair.caller.settingsApi.post('/api/voice-configs', preset);
    expect([status, body.key_status]).toEqual([200, 'valid']);
    presets.push(body.id);
  }
  const { outbound, inbound } = await pair.connect();
  call_id = outbound.call_id;
  speaker = /sip:([^@]+)@/.exec(outbound.meeting_url)![1]!;
  const join = (side: 'caller' | 'callee', { audio }: AnyJson, receive: boolean) =>
    Agent.join(audio.stream_url, pair[side].agentKey, { sampleRateHz: RATE_HZ, receive });
  agent = await join('caller', outbound, false);
  other = await join('caller', outbound, false);
  person = await join('callee', inbound, true);
  agent.send({ type: 'transcript_config', interim: true });
  await agent.waitFor('transcript_config', { interim: true });
});

afterAll(async () => {
  await pair?.stop();
  await vendor?.stop();
});

const api = () => pair.caller.agentApi;
const mcp = (query = '') =>
  new McpCaller(`${pair.caller.baseUrl}/mcp/${query}`, {
    authorization: `Bearer ${pair.caller.agentKey}`,
  });
const path = (verb = '') => `/api/call/${call_id}${verb}`;

/** The person says these words. */
function speak(text: string): void {
  for (const audio of [toneSpeech(text, FORMAT), silence(700, FORMAT)])
    person.speak(new Int16Array(audio.buffer, audio.byteOffset, audio.byteLength / 2));
}

/** Everything that the person has heard since a frame. */
const heardSince = (frame: number) => {
  const samples = person.heardSamples(frame);
  return understand(new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), FORMAT);
};

const transcripts = ({ events }: Agent) => events.filter(({ type }) => type === 'call_transcript');

it('a call with presets offers hosted speech', async () => {
  expect((await api().get(path())).body.capabilities).toEqual([
    'audio_in',
    'audio_out',
    'hosted_stt',
    'hosted_tts',
  ]);
  const { features } = (await api().get('/api/account')).body;
  expect(features).toMatchObject({ hosted_stt: 'ready', hosted_tts: 'ready' });
});

it('a text is heard at the other end, whoever says it, and its events name it', async () => {
  const from = person.heard.length;
  const answer = await api().post(path('/say'), { text: 'alpha bravo' });
  expect([answer.status, answer.body]).toEqual([
    200,
    { status: 'ok', utterance_id: expect.stringMatching(/^utt_/) },
  ]);
  const { utterance_id } = answer.body;
  await agent.waitFor('utterance', { utterance_id, state: 'started' });
  expect(await agent.waitFor('utterance', { utterance_id, state: 'finished' })).toEqual({
    type: 'utterance',
    utterance_id,
    state: 'finished',
    played_ms: 600,
    spoken_text: 'alpha bravo',
    estimated: false,
  });
  await waitFor('the words', () => heardSince(from) === 'alpha bravo');

  other.send({ type: 'say', text: 'charlie' });
  await other.waitFor('utterance', { spoken_text: 'charlie', state: 'finished' });
  await waitFor('the words', () => heardSince(from) === 'alpha bravo charlie');

  const { result } = await mcp().call('svc_call_say', { call_id, text: 'delta echo' });
  const said = result.structuredContent.utterance_id;
  await agent.waitFor('utterance', { utterance_id: said, state: 'finished' });
  await waitFor('the words', () => heardSince(from) === 'alpha bravo charlie delta echo');
});

it('stop-speaking interrupts what is said and what waits, and does nothing while idle', async () => {
  const long = `${WORDS} ${WORDS} ${WORDS}`;
  const ids: string[] = [];
  for (const text of [long, 'golf']) ids.push((await api().post(path('/say'), { text })).body.utterance_id);
  await agent.waitFor('utterance', { utterance_id: ids[0], state: 'started' });
  expect((await api().post(path('/stop-speaking'))).status).toBe(200);
  const endOf = (id: string | undefined) =>
    waitFor('its end', () =>
      agent.events.find(({ utterance_id, state }) => utterance_id === id && state === 'interrupted'),
    );
  const cut = await endOf(ids[0]);
  expect(cut.played_ms).toBeLessThan(3_600);
  expect(long.startsWith(cut.spoken_text as string)).toBe(true);
  expect(cut.estimated).toBe(true);
  expect(await endOf(ids[1])).toMatchObject({ played_ms: 0, spoken_text: '' });
  const before = agent.events.length;
  expect((await api().post(path('/stop-speaking'))).status).toBe(200);
  expect((await mcp().call('svc_call_stop_speaking', { call_id })).result.isError).not.toBe(true);
  expect(agent.events.slice(before)).toEqual([]);
});

it.each([
  ['no text', {}],
  ['an empty text', { text: '' }],
  ['a number', { text: 7 }],
  ['null', { text: null }],
  ['a text that is too long', { text: 'x'.repeat(10_001) }],
])('say with %s is refused and says nothing', async (_what, body) => {
  const before = agent.events.length;
  expect((await api().post(path('/say'), body)).status).toBe(422);
  other.send({ type: 'say', ...body });
  await other.waitFor('call_error', { code: 'invalid_message' });
  expect((await mcp().call('svc_call_say', { call_id, ...body })).result.isError).toBe(true);
  expect(agent.events.slice(before).filter(({ type }) => type === 'utterance')).toEqual([]);
});

it('what is said becomes a line everywhere, and interim results go to those who ask', async () => {
  const { last_message_cursor } = (await api().get('/api/account')).body;
  speak(WORDS);
  const line = await agent.waitFor('call_transcript', { is_final: true }, 15_000);
  await other.waitFor('call_transcript');
  await waitFor('all words', async () =>
    (await api().get(path())).body.transcript.join(' ').includes('delta'),
  );
  const { transcript, transcript_length } = (await api().get(path())).body;
  expect(transcript.every((each: string) => each.startsWith(`[${speaker}] `))).toBe(true);
  const text = transcript.map((each: string) => each.replace(/^\[.*?\] /, '')).join(' ');
  expect(text.toLowerCase().replace(/[.,]/g, '')).toBe(WORDS);
  expect(line).toMatchObject({ speaker, confidence: 0.9, language: 'en' });
  expect(line.start_ms).toBeGreaterThanOrEqual(0);
  expect(line.end_ms).toBeGreaterThan(line.start_ms as number);
  const interims = transcripts(agent).filter(({ is_final }) => is_final === false);
  expect(interims.length).toBeGreaterThan(0);
  expect(transcripts(other).map((each) => Object.keys(each))).toEqual(
    Array(transcript_length).fill(['type', 'speaker', 'text']),
  );
  expect(transcripts(other)).toHaveLength(transcript_length);
  await agent.waitFor('speech', { speaker, state: 'ended' });

  const { events } = (await api().get(`/api/inbox?last_message_cursor=${last_message_cursor}`)).body;
  const fed = events.filter(({ type }: AnyJson) => type === 'call_transcript');
  expect(fed.map(({ speaker: who, text: said }: AnyJson) => `[${who}] ${said}`)).toEqual(transcript);
  expect(events.some(({ type }: AnyJson) => type === 'speech')).toBe(false);
});

it('an MCP session is told of new lines, reads them, and is pushed how an utterance ended', async () => {
  const session = await mcp('?stateful').open();
  const listener = await session.listen();
  const uri = `svc://calls/${call_id}/transcript`;
  await session.ask('resources/subscribe', { uri });
  const pushed = (type: string) =>
    listener.told.find(
      ({ data }) => data.method === 'notifications/claude/channel' && data.params.meta.type === type,
    )?.data.params;
  speak('tango');
  await waitFor('the update', () =>
    listener.told.some(({ data }) => data.method === 'notifications/resources/updated'),
  );
  const line = await waitFor('the push', () => pushed('call_transcript'));
  expect(line).toMatchObject({ content: expect.stringMatching(/tango/i), meta: { call_id, speaker } });
  const { result } = await session.ask('resources/read', { uri });
  expect(result.contents[0].text.split('\n')).toEqual((await api().get(path())).body.transcript);
  const { utterance_id } = (await api().post(path('/say'), { text: 'uniform' })).body;
  expect(await waitFor('the push', () => pushed('utterance'))).toMatchObject({
    meta: { call_id, utterance_id, state: 'finished', spoken_text: 'uniform', estimated: 'false' },
  });
  listener.close();
});

it('a client that no longer asks gets no more interim results', async () => {
  agent.send({ type: 'transcript_config', interim: false });
  await agent.waitFor('transcript_config', { interim: false });
  const before = transcripts(agent).length;
  const { transcript_length } = (await api().get(path())).body;
  speak('kilo lima');
  await waitFor('the line', async () => (await api().get(path())).body.transcript_length > transcript_length);
  await waitFor('its event', () => transcripts(agent).length > before);
  for (const each of transcripts(agent).slice(before))
    expect(Object.keys(each)).toEqual(['type', 'speaker', 'text']);
});

it('providers are measured, and the account knows what it used', async () => {
  const measured = async (name: string) => (await pair.caller.metric(name)) ?? 0;
  await waitFor('the counts', async () => {
    const names = ['characters_total', 'spoken_seconds_total', 'heard_seconds_total'];
    const values = await Promise.all(names.map((name) => measured(`svc_speech_${name}`)));
    return values.every((value) => value > 0);
  });
  expect(await measured('svc_speech_first_byte_seconds_count')).toBeGreaterThanOrEqual(4);
  expect(await measured('svc_speech_final_seconds_count')).toBeGreaterThanOrEqual(2);
});

it('a preset that is disabled speaks on in its live call, and not in a new one', async () => {
  await pair.caller.settingsApi.patch(`/api/voice-configs/${presets[1]}`, { enabled: false });
  const { utterance_id } = (await api().post(path('/say'), { text: 'golf hotel' })).body;
  await agent.waitFor('utterance', { utterance_id, state: 'finished' });
  const { outbound } = await pair.connect();
  expect(outbound.capabilities).toEqual(['audio_in', 'audio_out', 'hosted_stt']);
  const refused = { status: 400, body: { detail: 'Hosted TTS not configured', code: 'tts_not_configured' } };
  expect(await api().post(`/api/call/${outbound.call_id}/say`, { text: 'mike' })).toMatchObject(refused);
  const stream = await Agent.connect(outbound.audio.stream_url, pair.caller.agentKey, RATE_HZ);
  stream.send({ type: 'say', text: 'mike' });
  await stream.waitFor('call_error', { code: 'tts_not_configured', message: 'Hosted TTS not configured' });
  const { result } = await mcp().call('svc_call_say', { call_id: outbound.call_id, text: 'mike' });
  expect([result.isError, result.content[0].text.split('\n')[0]]).toEqual([
    true,
    '400 Hosted TTS not configured',
  ]);
  await api().delete(`/api/call/${outbound.call_id}`);
  await stream.closed;
});

it('the transcript of a call that the gateway lost outlives it, and the account exports it', async () => {
  const { transcript } = (await api().get(path())).body;
  await pair.caller.restart();
  const { body } = await api().get(path());
  expect(body).toMatchObject({ state: 'disconnected', transcript, transcript_length: transcript.length });
  const { body: exported } = await pair.caller.settingsApi.get('/api/export');
  const lines = exported.transcript_lines.filter((line: AnyJson) => line.call_id === call_id);
  expect(lines.map((line: AnyJson) => `[${line.speaker}] ${line.text}`)).toEqual(transcript);
  const { total } = (await api().get('/api/usage')).body;
  expect(total.tts_characters).toBeGreaterThan(60);
  expect(total.stt_seconds).toBeGreaterThan(1);
  await waitFor('the end of all sessions', () => vendor.openStreams === 0);
  expect(vendor.offences).toEqual([]);
});
