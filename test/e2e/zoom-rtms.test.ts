import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeIvr } from '../fakes/ivr/fake-ivr.ts';
import type { LoginVendor } from '../fakes/logins/login-vendor.ts';
import { startZoomLogin } from '../fakes/logins/zoom-login.ts';
import { FakeZoomApi } from '../fakes/zoom/fake-zoom-api.ts';
import { FakeRtms, type SignedEvent } from '../fakes/zoom/rtms/fake-rtms.ts';
import { Agent } from '../support/agent.ts';
import { Gateway } from '../support/gateway.ts';
import { GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const ID = '81234567890';
const PEOPLE = [
  [11, 'Ann'],
  [12, 'Ben'],
  [13, 'Eve'],
] as const;

let ivr: FakeIvr;
let login: LoginVendor;
let zoom: FakeZoomApi;
let rtms: FakeRtms;
let gateway: Gateway;
let ann: Person;
let agent: GatewayApi;
let agentKey: string;

beforeAll(async () => {
  ivr = await FakeIvr.start({ meetings: [{ id: ID, passcode: '', lets: 'in' }], promptMs: 400 });
  login = await startZoomLogin();
  zoom = await FakeZoomApi.start();
  zoom.userOf = (token) => login.grantOf(token)?.visitor.id ?? null;
  rtms = await FakeRtms.start(login);
  gateway = await Gateway.start({
    env: {
      SVC_SIGNUP: 'open',
      SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8',
      SVC_ZOOM_CLIENT_ID: login.clientId,
      SVC_ZOOM_CLIENT_SECRET: login.clientSecret,
      SVC_ZOOM_WEBHOOK_SECRET: rtms.secretToken,
      SVC_ZOOM_LOGIN_URL: login.url,
      SVC_ZOOM_API_URL: zoom.url,
    },
  });
  ann = await memberOf(gateway, 'ann@example.com');
  agentKey = (await ann.request('POST', '/api/api-keys', { name: 'calls' })).body.key;
  agent = new GatewayApi(gateway.baseUrl, agentKey);
  const trunk = { host: '127.0.0.1', port: ivr.port, username: 'trunk', password: 'secret', register: false };
  expect((await ann.request('PUT', '/api/sip/trunk', trunk)).status).toBe(200);
  login.redirectUris.add(`${gateway.baseUrl}/api/oauth/zoom/callback`);
  login.visitor = { id: 'zoom-ann', tenant: 'acc', name: 'Ann', email: 'ann@example.com' };
  const started = await ann.request('POST', '/api/oauth/start/zoom', null);
  const sentBack = await fetch(started.body.authorize_url, { redirect: 'manual' });
  const path = sentBack.headers.get('location')!.slice(gateway.baseUrl.length);
  expect((await ann.visit(path)).status).toBe(200);
});
afterAll(async () => {
  for (const secret of login?.issued ?? []) gateway.secrets.add(secret);
  if (rtms) gateway.secrets.add(rtms.secretToken);
  await gateway?.stop();
  ivr?.stop();
  await Promise.all([login?.stop(), zoom?.stop(), rtms?.stop()]);
});

async function post({ body, headers }: SignedEvent) {
  const init = { method: 'POST', body, headers: { ...headers, 'content-type': 'application/json' } };
  const answer = await fetch(`${gateway.baseUrl}/api/zoom/webhook`, init);
  return [answer.status, await answer.json()];
}

it('proves to Zoom that the webhook is ours, and refuses strangers', async () => {
  expect(await post(rtms.event('endpoint.url_validation', { plainToken: 'abc' }))).toEqual([
    200,
    { plainToken: 'abc', encryptedToken: expect.stringMatching(/^[0-9a-f]{64}$/) },
  ]);
  const { body, headers } = rtms.event('endpoint.url_validation', { plainToken: 'abc' });
  expect(await post({ body: body.replace('abc', 'abd'), headers })).toEqual([
    401,
    { code: 'webhook_not_signed', detail: 'Invalid signature' },
  ]);
});

it('a call into a meeting knows who is there, and what is said and written, until the stream stops', async () => {
  const number = ivr.addNumber();
  const numbers = [{ number, country: 'US', type: 'toll' as const }];
  const meeting = zoom.add('zoom-ann', { id: ID, numbers });
  const stream = rtms.open(meeting.uuid, 'zoom-ann');
  expect(await post(rtms.startedEvent(stream))).toEqual([200, {}]);
  const link = `https://us05web.zoom.us/j/${ID}`;
  const { body: call } = await agent.post('/api/call', { platform: 'zoom', meeting_url: link });
  const talker = await Agent.join(call.audio.stream_url, agentKey, { sampleRateHz: 16_000 });
  await talker.waitFor('call_state', { state: 'active' }, 30_000);
  await waitFor('the stream', () => stream.isUp);
  stream.join(...PEOPLE, [20, '1650***0100']);
  for (const [id, name] of PEOPLE) stream.say(id, `I am\n${name}`);
  stream.say(20, 'I am the agent');
  stream.speak(12);
  stream.write(13, 'Hello agent');
  await waitFor('what is written, and who speaks', () => {
    const types = new Set<string>(talker.events.map(({ type }) => type));
    return types.has('call_chat') && types.has('call_speaking');
  });
  expect(talker.events).toContainEqual(expect.objectContaining({ type: 'call_chat', sender: 'Eve' }));
  expect(talker.events).toContainEqual(expect.objectContaining({ type: 'call_speaking', name: 'Ben' }));
  const lines = PEOPLE.map(([, name]) => `[${name}] I am ${name}`);
  const shown = await waitFor('the transcript', async () => {
    const { body } = await agent.get(`/api/call/${call.call_id}`);
    return body.transcript_length === 3 && body;
  });
  expect(shown).toMatchObject({
    transcript: lines,
    capabilities: ['audio_in', 'audio_out', 'read'],
    participants: PEOPLE.map(([, name]) => expect.objectContaining({ name })),
  });
  await post(rtms.stoppedEvent(stream));
  await waitFor('the call to go on without the stream', async () => {
    const { body } = await agent.get(`/api/call/${call.call_id}`);
    return body.state === 'active' && !body.participants?.length && !body.capabilities.includes('read');
  });
  await agent.delete(`/api/call/${call.call_id}`);
  await talker.close();
  expect(stream.violations).toEqual([]);
});
