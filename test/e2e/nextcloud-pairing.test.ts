import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BrowserVisit, pair } from '../fakes/nextcloud/browser-visit.ts';
import { FakeNextcloud } from '../fakes/nextcloud/fake-nextcloud.ts';
import type { Fault } from '../fakes/nextcloud/refusal.ts';
import type { FakeNcUser } from '../fakes/nextcloud/world/fake-nc-user.ts';
import { Gateway } from '../support/gateway.ts';
import { GatewayApi } from '../support/gateway-api.ts';
import { memberOf } from '../support/member.ts';
import type { Person } from '../support/person.ts';
import { waitFor } from '../support/wait-for.ts';

const BRIDGE_KEY = 'the-key-of-the-platform-bridge-of-this-test';

let gateway: Gateway;
let ann: Person;
let bob: Person;
let nextcloud: FakeNextcloud;
let admin: FakeNcUser;

beforeAll(async () => {
  const env = { SVC_SIGNUP: 'open', SVC_NCTALK_ALLOW: '127.0.0.1', SVC_BRIDGE_KEY: BRIDGE_KEY };
  gateway = await Gateway.start({ env });
  gateway.secrets.add(BRIDGE_KEY);
  [ann, bob] = [await memberOf(gateway, 'ann@example.com'), await memberOf(gateway, 'bob@example.com')];
});
afterAll(() => gateway?.stop());

beforeEach(async () => {
  nextcloud = await FakeNextcloud.start();
  nextcloud.addon.gatewayUrl = gateway.baseUrl;
  gateway.secrets.add(nextcloud.addon.apiSecret);
  admin = nextcloud.user('root', 'Root', { isAdmin: true });
});
afterEach(async () => {
  expect(nextcloud.mistakes).toEqual([]);
  await nextcloud.stop();
});

/** Agrees at the gateway's page as this person; `change` alters where the browser goes then. */
function agreeing(person: Person, change: (finish: URL) => unknown = () => undefined) {
  return async (page: URL): Promise<string> => {
    const path = page.pathname + page.search;
    const { status, body } = await person.visit(path);
    expect([status, body]).toEqual([200, expect.stringContaining(new URL(nextcloud.url).host)]);
    const fields: [string, string][] = Array.from(
      `${body}`.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g),
      ([, name, value]): [string, string] => [name!, value!.replaceAll('&amp;', '&')],
    );
    const form = new URLSearchParams([...fields, ['decision', 'connect']]);
    const answer = await person.submit(page.pathname, form);
    expect([answer.status, answer.body]).toEqual([303, '']);
    const finish = new URL(answer.headers.get('location')!);
    await change(finish);
    return finish.href;
  };
}

async function pairAs(person: Person, origin: 'nc_admin' | 'dashboard' = 'nc_admin'): Promise<string> {
  const end = await pair(nextcloud, { admin, origin, agree: agreeing(person) });
  for (const { password } of nextcloud.addon.bots.values()) gateway.secrets.add(password);
  return end.href;
}

interface Shown {
  readonly id: string;
  readonly status: string;
  readonly label: string;
}

/** The person's connections to Nextclouds. */
async function connectionsOf(person: Person): Promise<Shown[]> {
  const { body } = await person.request('GET', '/api/platforms');
  return body.platforms.find(({ platform }: { platform: string }) => platform === 'nctalk').accounts;
}

async function statusOf(person: Person): Promise<string | undefined> {
  const label = `root@${new URL(nextcloud.url).host}`;
  return (await connectionsOf(person)).find((each) => each.label === label)?.status;
}

describe('pairing from the Nextcloud', () => {
  it('ends where it began, with a bot that belongs to whoever agreed', async () => {
    expect(await pairAs(ann)).toBe(`${nextcloud.url}/settings/admin/talk?connected=1`);
    expect(await statusOf(ann)).toBe('ok');
    expect(await statusOf(bob)).toBeUndefined();
    expect(nextcloud.addon).toMatchObject({
      backendUrl: gateway.baseUrl,
      callbackUrl: `${gateway.baseUrl}/api/nctalk/callback`,
    });
    expect(await pairAs(bob, 'dashboard')).toBe(`${gateway.baseUrl}/dashboard/platforms?connected=nctalk`);
    expect(nextcloud.addon.bots.size).toBe(2);
    for (const { user } of nextcloud.addon.bots.values())
      await waitFor('a picture', () => user.avatar?.toString('latin1', 1, 4) === 'PNG');
  });

  it.each<[string, (finish: URL) => unknown]>([
    ['missing_params', ({ searchParams }) => searchParams.delete('callback_url')],
    [
      'state_missing',
      () => {
        nextcloud.pages.pending = null;
      },
    ],
    ['state_mismatch', ({ searchParams }) => searchParams.set('nc_state', 'f'.repeat(32))],
    [
      'state_expired',
      () => {
        nextcloud.pages.pending = { ...nextcloud.pages.pending!, expires: 0 };
      },
    ],
    [
      'admin_mismatch',
      () => {
        nextcloud.pages.pending = { ...nextcloud.pages.pending!, adminUid: 'somebody' };
      },
    ],
    ['unsafe_urls', ({ searchParams }) => searchParams.set('backend_url', 'http://evil.example')],
    ['bot_creation_failed', ({ searchParams }) => searchParams.set('state', 'x'.repeat(43))],
  ])('that ends with %s stores nothing, and can be begun again', async (error, change) => {
    const end = await pair(nextcloud, { admin, agree: agreeing(ann, change) });
    expect(end.href).toBe(`${nextcloud.url}/settings/admin/talk?error=${error}`);
    expect(await statusOf(ann)).toBeUndefined();
    await pairAs(ann);
    expect(await statusOf(ann)).toBe('ok');
  });

  it.each<[string, Fault]>([
    ['user', { kind: 'refuse', status: 500 }],
    ['user', { kind: 'drop', isDone: false }],
    ['addon.config', { kind: 'gateway', status: 502 }],
    ['addon.config', { kind: 'throttle' }],
  ])('fails when the Nextcloud’s answer to %s is %j, and its bot is deleted', async (route, fault) => {
    const accounts = nextcloud.world.users.size;
    nextcloud.fail(route, fault);
    // A request whose connection ends is repeated, once.
    if (fault.kind === 'drop') nextcloud.fail(route, fault);
    const end = await pair(nextcloud, { admin, agree: agreeing(ann) });
    expect(end.href).toBe(`${nextcloud.url}/settings/admin/talk?error=bot_creation_failed`);
    expect(nextcloud.world.users.size).toBe(accounts);
    expect(await statusOf(ann)).toBeUndefined();
  });
});

describe('pairing from the gateway', () => {
  const start = async (body: object) => await ann.request('POST', '/api/oauth/start/nctalk', body);

  /** Goes to the Nextcloud's page as this user, and agrees; returns the answer. */
  async function agreeThere(user: FakeNcUser, authorizeUrl: string): Promise<Response> {
    const browser = new BrowserVisit(nextcloud);
    await browser.logIn(user);
    const page = await (await browser.get(authorizeUrl)).text();
    expect(page).toContain('The agents of ann@example.com');
    const fields = page.matchAll(/name="(\w+)" value="([^"]*)"/g);
    const form = Object.fromEntries(Array.from(fields, ([, name, value]) => [name, value]));
    return await browser.post('/apps/chamade_talk/authorize', form);
  }

  it('needs no administrator, and makes the person there the owner', async () => {
    const { body } = await start({ server_url: nextcloud.url, return_to: '/dashboard' });
    const answer = await agreeThere(nextcloud.user('eve'), body.authorize_url);
    expect([answer.status, answer.headers.get('location')]).toEqual([
      303,
      'http://127.0.0.1/dashboard?nctalk=connected',
    ]);
    const labels = (await connectionsOf(ann)).map(({ label }) => label);
    expect(labels).toContain(`eve@${new URL(nextcloud.url).host}`);
    const again = await agreeThere(nextcloud.user('mallory'), body.authorize_url);
    expect(again.status).toBe(502);
    expect(nextcloud.addon.bots.size).toBe(2);
    expect([...nextcloud.world.users.keys()].filter((uid) => uid.startsWith('chamade-bot'))).toHaveLength(1);
  });

  it('renews a connection, whose former bot is removed, and deletes it with its bot', async () => {
    await pairAs(ann);
    const before = await connectionsOf(ann);
    const { id } = before.at(-1)!;
    const [former] = [...nextcloud.addon.bots.keys()];
    const { body } = await start({ server_url: nextcloud.url, connection_id: id });
    await agreeThere(admin, body.authorize_url);
    expect(await connectionsOf(ann)).toHaveLength(before.length);
    await waitFor('the former bot to go', () => !nextcloud.addon.bots.has(former!));
    expect(nextcloud.addon.bots.size).toBe(1);
    expect((await bob.request('DELETE', `/api/connections/${id}`)).status).toBe(404);
    expect((await ann.request('DELETE', `/api/connections/${id}`)).status).toBe(200);
    await waitFor('the bot to go', () => nextcloud.addon.bots.size === 0);
    expect(await connectionsOf(ann)).toHaveLength(before.length - 1);
  });
});

describe('a connection', () => {
  it('is there after a restart, and says when the addon is switched off', async () => {
    await pairAs(ann);
    await gateway.restart();
    expect(await statusOf(ann)).toBe('ok');
    await nextcloud.addon.disable();
    const { host } = new URL(nextcloud.url);
    const status = `The addon is switched off at ${host}; connect again`;
    await waitFor('the notice', async () => (await statusOf(ann)) === status);
    const notice = expect.objectContaining({ path: '/api/nctalk/addon-disabled', status: 200 });
    expect(nextcloud.addon.posts.sent).toContainEqual(notice);
    nextcloud.addon.enable();
    await pairAs(ann);
    expect(await statusOf(ann)).toBe('ok');
  });

  it('goes with its account, and its bot too', async () => {
    const cleo = await memberOf(gateway, 'cleo@example.com');
    await pairAs(cleo);
    const exported = JSON.stringify((await cleo.request('GET', '/api/export')).body);
    expect(exported).toContain(`@${nextcloud.url}`);
    for (const { password } of nextcloud.addon.bots.values()) expect(exported).not.toContain(password);
    expect(exported).not.toContain(nextcloud.addon.apiSecret);
    const { status } = await cleo.request('DELETE', '/api/account', {
      password: cleo.password,
      confirm: 'DELETE',
    });
    expect(status).toBe(200);
    await waitFor('the bot to go', () => nextcloud.addon.bots.size === 0);
  });
});

describe('bots that administrators install', () => {
  const listed = async () =>
    await new GatewayApi(gateway.baseUrl, BRIDGE_KEY).get('/api/maquisard/talk-bots');

  it('are listed for the platform bridge, and for nobody else', async () => {
    await pairAs(ann);
    const { status, body: bot } = await ann.request('POST', '/api/nctalk/talk-bots', {
      server_url: 'https://cloud.example.com',
    });
    expect(status).toBe(201);
    gateway.secrets.add(bot.secret);
    const { body } = await listed();
    expect(body).toEqual({
      version: 1,
      bots: [{ login: bot.connection_id, url: 'https://cloud.example.com', secret: bot.secret }],
    });
    expect((await ann.request('GET', '/api/maquisard/talk-bots')).status).toBe(401);
    await ann.request('DELETE', `/api/connections/${bot.connection_id}`);
    expect((await listed()).body.bots).toEqual([]);
  });
});
