import { afterAll, beforeAll, expect, it } from 'vitest';
import type { LoginVendor } from '../fakes/logins/login-vendor.ts';
import { startMicrosoftLogin } from '../fakes/logins/microsoft-login.ts';
import type { FakePerson } from '../fakes/teams/fake-person.ts';
import { FakeTeams } from '../fakes/teams/fake-teams.ts';
import { newGuid } from '../fakes/teams/world/teams-ids.ts';
import { EntraHost } from '../support/entra-host.ts';
import { Gateway } from '../support/gateway.ts';
import type { GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

let teams: FakeTeams;
let login: LoginVendor;
let entra: EntraHost;
let gateway: Gateway;

beforeAll(async () => {
  teams = await FakeTeams.start();
  login = await startMicrosoftLogin({ tenant: null, error: null });
  entra = await EntraHost.start({ applications: teams.origin, people: login.url });
  gateway = await Gateway.start({
    env: {
      ...teams.settings,
      SVC_TEAMS_LOGIN_URL: entra.url,
      SVC_TEAMS_CLIENT_ID: login.clientId,
      SVC_TEAMS_CLIENT_SECRET: login.clientSecret,
      SVC_SIGNUP: 'open',
      SVC_DM_TIMEOUT_TEXT: 'off',
    },
  });
  for (const secret of [teams.bot.secret, login.clientSecret]) gateway.secrets.add(secret);
  login.redirectUris.add(`${gateway.baseUrl}/api/oauth/teams/callback`);
  teams.delivery.url = `${gateway.baseUrl}/api/messages`;
});
afterAll(async () => {
  for (const secret of login?.issued ?? []) gateway?.secrets.add(secret);
  await gateway?.stop();
  await entra?.stop();
  await login?.stop();
  await teams?.stop();
  expect(teams.offences).toEqual([]);
});

/** Connects the Microsoft account of a person in a member's session. Returns the connection's id. */
async function connect(member: Person, { user }: FakePerson): Promise<string> {
  const { objectId: id, tenantId: tenant, name } = user;
  login.visitor = { id, tenant, name, email: `${name.toLowerCase()}@contoso.example` };
  const { body: started } = await member.request('POST', '/api/oauth/start/teams', null);
  const { headers } = await fetch(started.authorize_url, { redirect: 'manual' });
  const back = headers.get('location') ?? '';
  expect((await member.visit(back.slice(gateway.baseUrl.length))).status).toBe(200);
  const { platforms } = (await member.request('GET', '/api/platforms')).body;
  return platforms.find((each: { platform: string }) => each.platform === 'teams').accounts.at(-1).id;
}

async function agentOf(member: Person): Promise<GatewayApi> {
  const { body } = await member.request('POST', '/api/api-keys', { name: 'agent' });
  gateway.secrets.add(body.key);
  return gateway.api(body.key);
}

async function inboxOf(agent: GatewayApi): Promise<string> {
  return JSON.stringify((await agent.get('/api/inbox?platform=teams')).body);
}

it('knows a sender by object id and tenant, and answers them', async () => {
  const [ada, bea] = [teams.addPerson('Ada'), teams.addPerson('Bea')];
  const [ann, ben] = [await memberOf(gateway, 'ann@example.com'), await memberOf(gateway, 'ben@example.com')];
  const [anns, bens] = [await agentOf(ann), await agentOf(ben)];
  const connectionId = await connect(ann, ada);
  await connect(ben, bea);

  ada.says('hello from Ada');
  bea.says('hello from Bea');
  await waitFor('the message of Ada', async () => (await inboxOf(anns)).includes('hello from Ada'));
  await waitFor('the message of Bea', async () => (await inboxOf(bens)).includes('hello from Bea'));
  expect([await inboxOf(anns), await inboxOf(bens)]).toEqual([
    expect.not.stringContaining('Bea'),
    expect.not.stringContaining('Ada'),
  ]);
  const reply = await anns.post('/api/dm/chat', { platform: 'teams', text: 'hello, Ada' });
  expect([reply.status, reply.body.status]).toEqual([200, 'delivered']);
  expect([ada, bea].map((who) => who.received().map(({ text }) => text))).toEqual([['hello, Ada'], []]);

  expect((await ann.request('DELETE', `/api/connections/${connectionId}`)).status).toBe(200);
  ada.says('still there?');
  await waitFor('the note', () => ada.received().at(-1)?.text.includes('does not know which agent'));
  expect(await inboxOf(anns)).not.toContain('still there?');
}, 60_000);

it('does not take somebody of another tenant with the same object id for them', async () => {
  const [cleo, twin] = [teams.addPerson('Cleo'), teams.addPerson('Twin', newGuid())];
  Object.assign(twin.user, { objectId: cleo.user.objectId });
  const member = await memberOf(gateway, 'cleo@example.com');
  const agent = await agentOf(member);
  await connect(member, cleo);
  twin.says('it is me, Cleo');
  await waitFor('the note', () => twin.received().at(-1)?.text.includes('does not know which agent'));
  cleo.says('it is me');
  await waitFor('the message', async () => (await inboxOf(agent)).includes('it is me'));
  expect(await inboxOf(agent)).not.toContain('it is me, Cleo');
}, 60_000);
