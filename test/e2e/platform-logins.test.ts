import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openStore } from '../../src/store/store.ts';
import type { Visitor } from '../fakes/logins/login-vendor.ts';
import { connectionsAfter, LOGIN_PLATFORMS, type LoginPlatform, LoginWorld } from '../support/login-world.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { plaintextsIn, storedText } from '../support/plaintext.ts';

const TENANT = randomUUID();
const ANN: Visitor = { id: randomUUID(), tenant: TENANT, name: 'Ann', email: 'ann@contoso.example' };

let world: LoginWorld;
let ann: Person;
let eve: Person;

beforeAll(async () => {
  world = await LoginWorld.start();
  ann = await memberOf(world.gateway, 'ann@example.com');
  eve = await memberOf(world.gateway, 'eve@example.com');
});
afterAll(() => world?.stop());
afterEach(() => {
  Object.assign(world.administrator, { tenant: null, error: null });
  world.unticked.clear();
});

function visitor(platform: LoginPlatform, who: Visitor = ANN): void {
  world.vendors[platform].visitor = who;
}

async function expectNotConnected(platform: LoginPlatform): Promise<void> {
  expect(await world.logins(ann, platform)).toEqual([]);
  expect(await world.logins(eve, platform)).toEqual([]);
  expect((await world.platform(ann, platform)).status).toBe('not_configured');
}

async function connected(platform: LoginPlatform, person = ann, who = ANN): Promise<string> {
  visitor(platform, who);
  expect((await world.connect(person, platform)).status).toBe(200);
  return (await world.logins(person, platform)).at(-1).id;
}

async function disconnect(person: Person, id: string): Promise<number> {
  return (await person.request('DELETE', `/api/connections/${id}`)).status;
}

describe.each(LOGIN_PLATFORMS)('%s', (platform) => {
  it('connects, joins the default agent, is exported without tokens, and is gone once disconnected', async () => {
    const id = await connected(platform);
    const shown = { id, type: 'connection', label: 'Ann', status: 'ok' };
    expect(await world.platform(ann, platform)).toMatchObject({ status: 'ok', accounts: [shown] });
    const { agents } = (await ann.request('GET', '/api/agents')).body;
    expect(agents.find((agent: { is_default: boolean }) => agent.is_default).accounts).toMatchObject([
      { id },
    ]);
    const exported = JSON.stringify((await ann.request('GET', '/api/export')).body);
    expect(exported).toContain(id);
    const { issued, clientSecret } = world.vendors[platform];
    for (const text of [exported, storedText(world.gateway.dataFolder), world.gateway.output])
      expect(plaintextsIn(text, [...issued, clientSecret])).toEqual([]);

    expect(await disconnect(ann, id)).toBe(200);
    await expectNotConnected(platform);
    // Microsoft has no such endpoint.
    if (platform !== 'teams') expect(world.vendors[platform].revocations).toBe(1);
  });
});

it('names the permission that a person does not grant at Google', async () => {
  visitor('meet');
  world.unticked.add('https://www.googleapis.com/auth/meetings.space.readonly');
  const answer = await world.connect(ann, 'meet');
  expect(answer).toMatchObject({ status: 400, body: expect.stringContaining('meetings.space.readonly') });
  await expectNotConnected('meet');
});

describe('an administrator', () => {
  const start = (person: Person, connection_id: string) =>
    person.request('POST', '/api/oauth/teams-admin-consent/start', { connection_id });
  const approve = async (id: string) => {
    const { body } = await start(ann, id);
    return await world.follow(body.authorize_url);
  };
  const statusOf = async (id: string) =>
    (await world.logins(ann, 'teams')).find((login) => login.id === id).status;

  it('approves for the tenant of one connection, or says why not', async () => {
    const id = await connected('teams');
    const { body } = await start(ann, id);
    const url = new URL(body.authorize_url);
    expect(url.pathname).toBe(`/${TENANT}/v2.0/adminconsent`);
    expect(await ann.visit(await world.follow(url.href))).toMatchObject({
      status: 200,
      body: expect.stringContaining('approved for your organization'),
    });
    for (const [description, words] of [
      ['AADSTS65004: The resource owner denied the request.', 'The administrator declined the permissions'],
      ['AADSTS90093: Graph returned with a forbidden error.', 'This account may not approve'],
      ['AADSTS90094: Administrator consent is required.', 'has to approve the application'],
      ['', 'The administrator declined (access_denied)'],
    ] as const) {
      world.administrator.error = ['access_denied', description];
      const page = await ann.visit(await approve(id));
      expect(page).toMatchObject({ status: 400, body: expect.stringContaining(words) });
      expect(await statusOf(id)).toContain(words);
    }
    world.administrator.error = null;
    expect((await ann.visit(await approve(id))).status).toBe(200);
    expect(await statusOf(id)).toBe('ok');
    expect(await disconnect(ann, id)).toBe(200);
  });

  it('changes nothing in another tenant, a second time, elsewhere, or without an answer', async () => {
    const id = await connected('teams');
    world.administrator.error = ['access_denied', ''];
    await ann.visit(await approve(id));
    world.administrator.error = null;
    const declined = await statusOf(id);

    world.administrator.tenant = randomUUID();
    const elsewhere = await ann.visit(await approve(id));
    expect(elsewhere).toMatchObject({ status: 400, body: expect.stringContaining('another organization') });
    world.administrator.tenant = null;
    const path = await approve(id);
    expect((await eve.visit(path)).status).toBe(400);
    expect((await ann.visit(path)).status).toBe(400);
    const state = new URLSearchParams((await approve(id)).split('?')[1]).get('state')!;
    const callback = '/api/oauth/teams-admin-consent/callback';
    expect((await ann.visit(`${callback}?state=${state}&tenant=${TENANT}`)).status).toBe(400);
    expect((await ann.visit(`${callback}?admin_consent=True&tenant=${TENANT}`)).status).toBe(400);
    // A state of an administrator connects nothing.
    const other = new URLSearchParams((await approve(id)).split('?')[1]).get('state')!;
    expect((await ann.visit(`/api/oauth/teams/callback?code=x&state=${other}`)).status).toBe(400);
    expect(await statusOf(id)).not.toBe('ok');
    expect(declined).not.toBe('ok');

    expect((await start(eve, id)).status).toBe(404);
    expect((await ann.request('POST', '/api/oauth/teams-admin-consent/start', {})).status).toBe(422);
    const zoom = await connected('zoom');
    expect((await start(ann, zoom)).status).toBe(404);
    for (const each of [id, zoom]) expect(await disconnect(ann, each)).toBe(200);
  });
});

describe('tokens', () => {
  it.each([
    ['teams', 'AADSTS50173'],
    ['meet', 'Token has been expired or revoked'],
    ['zoom', 'invalid_grant'],
  ] as const)(
    'of %s are refreshed once for 50 requests, and a revoked grant is told and renewed',
    async (platform, words) => {
      const vendor = world.vendors[platform];
      vendor.lifetimeS = 30;
      const id = await connected(platform);
      // Nothing in the gateway uses these tokens yet, so its connections are opened by the test.
      await world.gateway.restart(async () => {
        const store = await openStore({ dataDir: world.gateway.dataFolder, masterKey: null });
        try {
          const tokens = connectionsAfter(world, store).tokens.get(platform)!;
          const before = vendor.refreshes;
          const all = await Promise.all(Array.from({ length: 50 }, () => tokens.accessToken(id)));
          expect([new Set(all).size, vendor.refreshes - before]).toEqual([1, 1]);
          expect(vendor.grantOf(all[0]!)).not.toBeNull();
          vendor.revokeAllOf(ANN.id);
          // Another start, without the tokens in memory.
          const again = connectionsAfter(world, store).tokens.get(platform)!;
          const refused = await Promise.allSettled(Array.from({ length: 50 }, () => again.accessToken(id)));
          const lost = { status: 'rejected', reason: expect.objectContaining({ code: 'connection_lost' }) };
          expect(refused).toEqual(Array(50).fill(lost));
          expect(vendor.refreshes - before).toBe(2);
        } finally {
          await store.close();
        }
        vendor.lifetimeS = 3_600;
      });
      expect((await world.platform(ann, platform)).status).toContain(words);
      visitor(platform);
      expect((await world.connect(ann, platform, { connection_id: id })).status).toBe(200);
      expect((await world.platform(ann, platform)).status).toBe('ok');
      expect(await disconnect(ann, id)).toBe(200);
    },
  );
});
