import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeVendors, VENDOR_NAMES } from '../fakes/speech-vendor/all-vendors.ts';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { plaintextsIn } from '../support/plaintext.ts';

const PATH = '/api/voice-configs';
const TO = 'sip:+33123456789@127.0.0.1';

let vendors: FakeVendors;
let gateway: Gateway;

beforeAll(async () => {
  vendors = await FakeVendors.start();
  const env = { SVC_SIGNUP: 'open', SVC_LOG_LEVEL: 'trace', ...vendors.settings };
  gateway = await Gateway.start({ env: { ...env, SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8' } });
  for (const key of vendors.keys) gateway.secrets.add(key);
  await gateway.putTrunk({ host: '127.0.0.1', port: 9 });
});
afterAll(async () => {
  await gateway?.stop();
  await vendors?.stop();
});

const create = (fields: object) =>
  gateway.settingsApi.post(PATH, { kind: 'tts', provider: 'local', ...fields });
const place = (fields: object) =>
  gateway.agentApi.post('/api/call', { platform: 'sip', meeting_url: TO, ...fields });

it.each(VENDOR_NAMES)('a preset of %s survives a restart of the gateway with its key', async (provider) => {
  const vendor = vendors.by[provider];
  const before = vendor.requests.length;
  const wrong = await create({ kind: 'stt', provider, api_key: 'wrong' });
  expect([wrong.status, wrong.body.detail]).toEqual([400, expect.stringContaining(' refused the key: ')]);
  const api_key = vendor.keyThatIs('valid');
  const { id } = (await create({ kind: 'stt', provider, api_key, enabled: false })).body;
  await gateway.restart();
  const { status, body } = await gateway.settingsApi.patch(`${PATH}/${id}`, { enabled: true });
  expect([status, body]).toMatchObject([200, { enabled: true, key_status: 'valid' }]);
  expect(vendor.requests.slice(before).map(({ key }) => key)).toEqual(['wrong', api_key, api_key]);
  expect(plaintextsIn(gateway.output, vendors.keys)).toEqual([]);
});

it('a call takes enabled presets of the right kind and account only', async () => {
  const enabled = (await create({})).body;
  const disabled = (await create({ enabled: false })).body;
  const other = await memberOf(gateway, 'other@example.com');
  const foreign = (await other.request('POST', PATH, { kind: 'tts', provider: 'local' })).body;
  const heard = async (id: string) => {
    const { status, body } = await place({ tts_voice_config_id: id });
    return [status, body.detail];
  };
  expect(await heard(disabled.id)).toEqual([400, 'Voice config is disabled; enable it first']);
  expect(await heard(foreign.id)).toEqual([404, 'Voice config not found']);
  expect(await heard(randomUUID())).toEqual([404, 'Voice config not found']);
  expect((await place({ stt_voice_config_id: enabled.id })).body.detail).toBe(
    'Voice config is of the other kind',
  );
  for (const id of [enabled.id, enabled.id.toUpperCase()]) expect((await heard(id))[0]).toBe(200);
});

it('an MCP client hears the same of presets', async () => {
  const disabled = (await create({ enabled: false })).body;
  const params = {
    name: 'svc_call_join',
    arguments: { platform: 'sip', meeting_url: TO, tts_voice_config_id: disabled.id },
  };
  const answer = await fetch(`${gateway.baseUrl}/mcp/`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${gateway.agentKey}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  });
  expect(await answer.text()).toContain('400 Voice config is disabled; enable it first');
});

it('an enabled preset shows in the features of the account and the capabilities of a call', async () => {
  const features = async () => (await gateway.agentApi.get('/api/account')).body.features;
  const { id } = (await create({})).body;
  expect(await features()).toMatchObject({ hosted_tts: 'ready' });
  expect((await place({})).body.capabilities).toContain('hosted_tts');
  await gateway.settingsApi.patch(`${PATH}/${id}`, { enabled: false });
  expect(await features()).toMatchObject({ hosted_tts: 'byok' });
  expect((await place({})).body.capabilities).not.toContain('hosted_tts');
});
