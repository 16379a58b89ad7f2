import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FakeIvr } from '../fakes/ivr/fake-ivr.ts';
import type { LoginVendor } from '../fakes/logins/login-vendor.ts';
import { startMicrosoftLogin } from '../fakes/logins/microsoft-login.ts';
import { FakeMeet } from '../fakes/meet/fake-meet.ts';
import { FakeGraphMeetings } from '../fakes/teams/meetings/fake-graph-meetings.ts';
import { Agent } from '../support/agent.ts';
import { endedCall } from '../support/ended-call.ts';
import { Gateway } from '../support/gateway.ts';
import { type Answer, GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';

const PIN = '123456789';
const WRONG_PIN = '999999999';
const TENANT = 'c4b9a8f0-2f7b-4d52-9d0f-0d3c3a2b1e11';
const ANN = {
  id: '5d0c6a6e-6f0d-4b6d-8a0f-1f2e3d4c5b6a',
  tenant: TENANT,
  name: 'Ann',
  email: 'ann@contoso.example',
};

let ivr: FakeIvr;
let meet: FakeMeet;
let microsoft: LoginVendor;
let graph: FakeGraphMeetings;
let gateway: Gateway;
let ann: Person;
let agent: GatewayApi;
let agentKey: string;

beforeAll(async () => {
  ivr = await FakeIvr.start({
    meetings: [{ id: PIN, passcode: '', lets: 'in' }],
    attempts: 1,
    promptMs: 400,
  });
  meet = await FakeMeet.start();
  microsoft = await startMicrosoftLogin({ tenant: null, error: null });
  graph = await FakeGraphMeetings.start();
  graph.userOf = (token) => microsoft.grantOf(token)?.visitor.id ?? null;
  gateway = await Gateway.start({
    env: {
      ...meet.settings,
      SVC_SIGNUP: 'open',
      SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8',
      SVC_TEAMS_CLIENT_ID: microsoft.clientId,
      SVC_TEAMS_CLIENT_SECRET: microsoft.clientSecret,
      SVC_TEAMS_LOGIN_URL: microsoft.url,
      SVC_TEAMS_GRAPH_URL: graph.url,
    },
  });
  ann = await memberOf(gateway, 'ann@example.com');
  agentKey = (await ann.request('POST', '/api/api-keys', { name: 'calls' })).body.key;
  agent = new GatewayApi(gateway.baseUrl, agentKey);
});
afterAll(async () => {
  for (const secret of [...(meet?.login.issued ?? []), ...(microsoft?.issued ?? [])])
    gateway.secrets.add(secret);
  await gateway?.stop();
  ivr?.stop();
  await Promise.all([meet?.stop(), microsoft?.stop(), graph?.stop()]);
});

async function connect(platform: string, vendor: LoginVendor): Promise<void> {
  vendor.redirectUris.add(`${gateway.baseUrl}/api/oauth/${platform}/callback`);
  vendor.visitor = ANN;
  const started = await ann.request('POST', `/api/oauth/start/${platform}`, null);
  const sentBack = await fetch(started.body.authorize_url, { redirect: 'manual' });
  const path = sentBack.headers.get('location')!.slice(gateway.baseUrl.length);
  expect((await ann.visit(path)).status).toBe(200);
}

const place = (platform: string, meeting_url: string) => agent.post('/api/call', { platform, meeting_url });

async function endOf({ body }: Answer): Promise<object> {
  const { result, reason } = await endedCall(gateway, body.call_id);
  return { result, reason };
}

it('each platform names the ways into its meetings, and what they need', async () => {
  const { body } = await agent.get('/api/platforms');
  const ways = body.platforms.flatMap((each: { platform: string; ways: { name: string }[] }) =>
    each.ways.map(({ name }) => `${each.platform}: ${name}`),
  );
  expect(ways).toEqual([
    'discord: voice channel',
    'teams: phone',
    "meet: SIP, at the organizer's gateway",
    'meet: phone',
    'zoom: SIP, as a room system',
    'zoom: phone',
    'nctalk: conversation',
    'sip: phone',
    'sip: SIP, without a trunk',
  ]);
});

describe('with neither trunk nor connected account', () => {
  it.each(['meet', 'teams'])('%s needs one, or a trunk', async (platform) => {
    const { status, body } = await place(platform, 'https://meeting.example/1');
    expect([status, body.detail]).toEqual([400, `No ${platform} connection configured`]);
    expect((await place(platform, '+16505550142,,1#')).body.code).toBe('no_sip_trunk');
    expect((await place(platform, '')).body.detail).toBe('meeting_url required');
  });
});

describe('with a trunk', () => {
  beforeAll(async () => {
    const trunk = {
      host: '127.0.0.1',
      port: ivr.port,
      username: 'trunk',
      password: 'secret',
      register: false,
    };
    expect((await ann.request('PUT', '/api/sip/trunk', trunk)).status).toBe(200);
  });

  it.each([
    [
      'meet',
      'https://meet.google.com/abc-mnop-xyz',
      409,
      /needs a connected Google account; without one, give its phone/,
    ],
    ['meet', '', 400, /^meeting_url required$/],
    ['meet', 'https://zoom.us/j/1', 400, /give its link \(https:\/\/meet\.google\.com/],
    [
      'teams',
      'https://teams.microsoft.com/meet/2345678901234',
      409,
      /needs the connected Microsoft account of its organizer/,
    ],
    ['teams', 'https://teams.live.com/meet/9345678901234', 400, /private Teams accounts/],
  ])('%s %s is refused with what it lacks', async (platform, url, status, detail) => {
    const { status: answered, body } = await place(platform, url);
    expect([answered, body.detail]).toEqual([status, expect.stringMatching(detail)]);
  });
});

describe('with a trunk and connected accounts', () => {
  beforeAll(async () => {
    await connect('meet', meet.login);
    await connect('teams', microsoft);
  });

  it('Meet: by its link, the agent is in the meeting, knows who is there, and is heard', async () => {
    const phoneNumber = ivr.addNumber();
    meet.add('abc-mnop-xyz', {
      phoneAccess: [{ phoneNumber, pin: PIN, regionCode: 'US', languageCode: 'en' }],
      people: [{ kind: 'signedinUser', name: 'Ben' }],
    });
    const { status, body: call } = await place('meet', 'https://meet.google.com/abc-mnop-xyz');
    expect([status, call.state, call.capabilities]).toEqual([200, 'connecting', ['audio_in', 'audio_out']]);
    const talker = await Agent.join(call.audio.stream_url, agentKey, { sampleRateHz: 16_000 });
    await talker.waitFor('call_state', { state: 'active' }, 30_000);
    await talker.waitFor('call_participants');
    const { body: shown } = await agent.get(`/api/call/${call.call_id}`);
    expect(shown.participants).toEqual([expect.objectContaining({ name: 'Ben' })]);
    const caller = await ivr.caller(phoneNumber);
    expect(caller.digits).toBe(`${PIN}#`);
    await agent.delete(`/api/call/${call.call_id}`);
    await talker.close();
  });

  it('Teams: by its short link in a mail of Outlook, at its first toll number', async () => {
    const number = ivr.addNumber();
    const { joinMeetingId } = graph.add(ANN.id, {
      audioConferencing: { conferenceId: PIN, tollNumbers: [number], tollFreeNumbers: [] },
    });
    const link = encodeURIComponent(`https://teams.microsoft.com/meet/${joinMeetingId}?p=x`);
    const mailed = `<https://eur01.safelinks.protection.outlook.com/?url=${link}&data=05%7C02&reserved=0>`;
    const { body: call } = await place('teams', mailed);
    const talker = await Agent.join(call.audio.stream_url, agentKey, { sampleRateHz: 16_000 });
    await talker.waitFor('call_state', { state: 'active' }, 30_000);
    expect((await ivr.caller(number)).digits).toBe(`${PIN}#`);
    await agent.delete(`/api/call/${call.call_id}`);
    await talker.close();
  });

  it('a wrong PIN, no number, another organizer, no such meeting: each with its reason', async () => {
    const phoneNumber = ivr.addNumber();
    meet.add('wro-ngpi-nnn', {
      phoneAccess: [{ phoneNumber, pin: WRONG_PIN, regionCode: 'US', languageCode: 'en' }],
    });
    meet.add('nop-hone-yet');
    const other = graph.add('somebody-else').joinMeetingId;
    const ends = await Promise.all([
      place('meet', 'wro-ngpi-nnn').then(endOf),
      place('meet', 'nop-hone-yet').then(endOf),
      place('meet', 'not-here-atall').then(endOf),
      place('teams', `https://teams.microsoft.com/meet/${other}`).then(endOf),
    ]);
    expect(ends).toEqual([
      { result: 'failed', reason: 'the meeting refused the id or passcode' },
      { result: 'failed', reason: expect.stringMatching(/no phone number: its organizer needs/) },
      {
        result: 'failed',
        reason: expect.stringMatching(/no such meeting, or this Google account may not see it/),
      },
      { result: 'failed', reason: expect.stringMatching(/has not organized this meeting/) },
    ]);
  });
});
