import { afterAll, beforeAll, expect, it } from 'vitest';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { understand } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { waitFor } from '../support/wait-for.ts';

const RATE_HZ = 8_000;
const FORMAT = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;
const NUMBER = '+33987654321';

let vendor: FakeVendor;
let pair: GatewayPair;
/** The preset that the number names. */
let presetId: string;

beforeAll(async () => {
  vendor = await startVendor('deepgram');
  const api_key = vendor.keyThatIs('valid');
  pair = await GatewayPair.start({ callee: { env: { SVC_DEEPGRAM_URL: vendor.url } } });
  pair.callee.secrets.add(api_key);
  const create = async (kind: string, provider: string, key: object) => {
    const { status, body } = await pair.callee.settingsApi.post('/api/voice-configs', {
      kind,
      provider,
      ...key,
    });
    expect(status, JSON.stringify(body)).toBe(200);
    return body.id;
  };
  await create('stt', 'deepgram', { api_key });
  presetId = await create('tts', 'deepgram', { api_key });
  const did = { number: NUMBER, auto_answer: true, tts_voice_config_id: presetId };
  expect((await pair.callee.settingsApi.post('/api/sip/dids', did)).status).toBe(200);
});

afterAll(async () => {
  await pair?.stop();
  await vendor?.stop();
});

/** Calls the number, and waits until the call has its presets: it gets both together. */
async function callNumber() {
  const outbound = await pair.caller.placeCall(pair.uriOf(NUMBER));
  const inbound = await waitFor('the call', async () => {
    const [call] = (await pair.callee.agentApi.get('/api/calls')).body.calls;
    return call?.state === 'active' && call.capabilities.includes('hosted_stt') && call;
  });
  return { outbound, inbound };
}

async function hangUp(callId: string): Promise<void> {
  await pair.caller.agentApi.delete(`/api/call/${callId}`);
  await waitFor(
    'the end',
    async () => (await pair.callee.agentApi.get('/api/calls')).body.calls.length === 0,
  );
}

it('a call to a number speaks with the preset of the number', async () => {
  const { outbound, inbound } = await callNumber();
  const person = await Agent.join(outbound.audio.stream_url, pair.caller.agentKey, {
    sampleRateHz: RATE_HZ,
    receive: true,
  });
  const { status } = await pair.callee.agentApi.post(`/api/call/${inbound.call_id}/say`, {
    text: 'alpha bravo',
  });
  expect(status).toBe(200);
  await waitFor('the words', () => {
    const samples = person.heardSamples(0);
    const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength);
    return understand(bytes, FORMAT) === 'alpha bravo';
  });
  await hangUp(outbound.call_id);
});

it('a number whose preset is disabled is silent, and does not take the voice of the account', async () => {
  const local = await pair.callee.settingsApi.post('/api/voice-configs', { kind: 'tts', provider: 'local' });
  expect(local.status).toBe(200);
  const { outbound, inbound } = await callNumber();
  const answer = await pair.callee.agentApi.post(`/api/call/${inbound.call_id}/say`, { text: 'alpha' });
  expect(inbound.capabilities).not.toContain('hosted_tts');
  expect([answer.status, answer.body.detail]).toEqual([400, 'Hosted TTS not configured']);
  await hangUp(outbound.call_id);
});

it('a number whose preset was deleted has the voice of the account', async () => {
  expect((await pair.callee.settingsApi.delete(`/api/voice-configs/${presetId}`)).status).toBe(200);
  const { outbound, inbound } = await callNumber();
  expect(inbound.capabilities).toContain('hosted_tts');
  await hangUp(outbound.call_id);
});
