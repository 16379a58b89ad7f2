import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { startVendor } from '../fakes/speech-vendor/all-vendors.ts';
import type { FakeVendor } from '../fakes/speech-vendor/fake-vendor.ts';
import { silence, toneSpeech } from '../fakes/tone-speech.ts';
import { Agent } from '../support/agent.ts';
import type { AnyJson } from '../support/any-json.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { McpCaller } from '../support/mcp-caller.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const RATE_HZ = 8_000;
const FORMAT = { encoding: 's16le', sampleRateHz: RATE_HZ } as const;

let vendor: FakeVendor;
let pair: GatewayPair;

beforeAll(async () => {
  vendor = await startVendor('deepgram');
  const env = { SVC_DEEPGRAM_URL: vendor.url, SVC_SIGNUP: 'open' };
  pair = await GatewayPair.start({ caller: { env } });
  pair.caller.secrets.add(vendor.keyThatIs('valid'));
});

afterAll(async () => {
  await pair?.stop();
  await vendor?.stop();
});

/** A call with hosted speech of a person, and the raw audio of its far end. */
interface HostedCall {
  readonly owner: Person;
  readonly key: string;
  readonly keyId: string;
  readonly call: AnyJson;
  readonly phone: Agent;
}

async function hostedCall(name: string): Promise<HostedCall> {
  const owner = await memberOf(pair.caller, `${name}@example.com`);
  const ask = async (method: string, path: string, body: unknown) => {
    const answer = await owner.request(method, path, body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    return answer.body;
  };
  const { id: keyId, key } = await ask('POST', '/api/api-keys', { name });
  pair.caller.secrets.add(key);
  for (const kind of ['stt', 'tts'])
    await ask('POST', '/api/voice-configs', {
      kind,
      provider: 'deepgram',
      api_key: vendor.keyThatIs('valid'),
    });
  await ask('PUT', '/api/sip/trunk', pair.trunk);
  const number = await pair.listNumber(true);
  const call = await ask('POST', '/api/call', { platform: 'sip', meeting_url: pair.uriOf(number) });
  const inbound = await waitFor('the far end', async () =>
    (await pair.callee.agentApi.get('/api/calls')).body.calls.find(
      ({ meeting_url, state }: AnyJson) => meeting_url.includes(number) && state === 'active',
    ),
  );
  const phone = await Agent.join(inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz: RATE_HZ });
  onTestFinished(async () => {
    await phone.close();
    await owner.request('DELETE', `/api/call/${call.call_id}`);
  });
  return { owner, key, keyId, call, phone };
}

function speak({ phone }: HostedCall, text: string): void {
  for (const audio of [toneSpeech(text, FORMAT), silence(700, FORMAT)])
    phone.speak(new Int16Array(audio.buffer, audio.byteOffset, audio.byteLength / 2));
}

const mcpOf = (key: string) =>
  new McpCaller(`${pair.caller.baseUrl}/mcp/?stateful`, { authorization: `Bearer ${key}` });

const transcriptOf = ({ call }: HostedCall) => `svc://calls/${call.call_id}/transcript`;

it('another account neither reads nor follows a transcript', async () => {
  const victim = await hostedCall('victim');
  const thief = await hostedCall('thief');
  const session = await mcpOf(thief.key).open();
  const listener = await session.listen();
  onTestFinished(() => listener.close());
  const uri = transcriptOf(victim);
  const own = transcriptOf(thief);
  expect((await session.ask('resources/read', { uri })).error).toBeDefined();
  expect((await session.ask('resources/subscribe', { uri })).error).toBeDefined();
  expect((await session.ask('resources/subscribe', { uri: own })).result).toEqual({});
  speak(victim, 'secret');
  await waitFor('the line', async () => {
    const { body } = await victim.owner.request('GET', `/api/call/${victim.call.call_id}`);
    return body.transcript_length > 0;
  });
  // What follows is told in order: had the other line been told, it would be there by now.
  speak(thief, 'own');
  await waitFor('the own line', () => JSON.stringify(listener.told).includes(own));
  expect(JSON.stringify(listener.told)).not.toContain(victim.call.call_id);
  for (const path of [
    `/api/call/${victim.call.call_id}/say`,
    `/api/call/${victim.call.call_id}/stop-speaking`,
  ])
    expect((await thief.owner.request('POST', path, { text: 'x' })).status).toBe(404);
});

it('a revoked key can neither speak nor follow; the call goes on', async () => {
  const hosted = await hostedCall('revoker');
  const { owner, key, keyId, call } = hosted;
  const session = await mcpOf(key).open();
  const listener = await session.listen();
  onTestFinished(() => listener.close());
  await session.ask('resources/subscribe', { uri: transcriptOf(hosted) });
  expect((await owner.request('DELETE', `/api/api-keys/${keyId}`)).status).toBe(200);
  const say = await fetch(`${pair.caller.baseUrl}/api/call/${call.call_id}/say`, {
    method: 'POST',
    headers: { 'X-API-Key': key, 'Content-Type': 'application/json' },
    body: '{"text":"x"}',
  });
  expect(say.status).toBe(401);
  const told = listener.told.length;
  speak(hosted, 'unheard');
  const shown = () => owner.request('GET', `/api/call/${call.call_id}`);
  await waitFor('the line', async () => (await shown()).body.transcript_length > 0);
  expect(listener.told.slice(told)).toEqual([]);
  expect((await shown()).body.state).toBe('active');
});

it('deleting an account in mid-sentence ends its sessions at the vendor and leaves no word behind', async () => {
  await waitFor('earlier sessions to end', () => vendor.openStreams === 0);
  const hosted = await hostedCall('goner');
  const { owner, call } = hosted;
  await owner.request('POST', `/api/call/${call.call_id}/say`, { text: 'alpha bravo charlie delta echo' });
  speak(hosted, 'foxtrot golf hotel india');
  await waitFor('words', async () => {
    const { body } = await owner.request('GET', `/api/call/${call.call_id}`);
    return body.transcript_length > 0;
  });
  expect(vendor.openStreams).toBeGreaterThan(0);
  const body = { confirm: 'DELETE', password: owner.password };
  expect((await owner.request('DELETE', '/api/account', body)).status).toBe(200);
  await waitFor('the vendor’s sessions to end', () => vendor.openStreams === 0);
  expect(pair.caller.output).not.toContain('a write to the database failed');
});
