import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { signatureOf } from '../../../fakes/nextcloud/addon/gateway-posts.ts';
import { BrowserVisit, pair } from '../../../fakes/nextcloud/browser-visit.ts';
import { FakeNextcloud } from '../../../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../../../fakes/nextcloud/world/fake-nc-user.ts';

interface Got {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  // biome-ignore lint/suspicious/noExplicitAny: what the addon posts
  readonly body: any;
}

let nextcloud: FakeNextcloud;
let admin: FakeNcUser;
let gateway: Server;
let gatewayUrl: string;
let got: Got[];
/** What the gateway answers to the next posts. */
let answers: { status?: number; body?: object }[];

beforeEach(async () => {
  got = [];
  answers = [];
  gateway = createServer(async (request, response) => {
    got.push({ path: request.url ?? '', headers: request.headers, body: await json(request) });
    const { status = 200, body = {} } = answers.shift() ?? {};
    response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
  }).listen(0, '127.0.0.1');
  await once(gateway, 'listening');
  gatewayUrl = `http://127.0.0.1:${(gateway.address() as AddressInfo).port}`;
  nextcloud = await FakeNextcloud.start();
  nextcloud.addon.gatewayUrl = gatewayUrl;
  admin = nextcloud.user('root', 'Root', { isAdmin: true });
});

afterEach(async () => {
  await nextcloud.stop();
  gateway.close();
});

/** Asks the addon as the gateway does. */
function ask(method: string, path: string, body?: object, secret = nextcloud.addon.apiSecret) {
  const random = crypto.randomUUID();
  return fetch(`${nextcloud.url}/apps/chamade_talk/api/v1/${path}`, {
    method,
    headers: {
      'X-Maquisard-Random': random,
      'X-Maquisard-Signature': signatureOf(random, secret),
      ...(body && { 'Content-Type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
}

/** The gateway's answer to who agrees. */
function finishUrl(page: URL, change: (query: URLSearchParams) => void = () => undefined): string {
  const query = new URLSearchParams({
    state: 'ours',
    nc_state: page.searchParams.get('nc_state') ?? '',
    callback_url: `${gatewayUrl}/callback`,
    backend_url: gatewayUrl,
    origin: page.searchParams.get('origin') ?? '',
  });
  change(query);
  return `/apps/chamade_talk/authorize/finish?${query}`;
}

describe('pairing from the Nextcloud', () => {
  test('hands the credentials of a new bot over', async () => {
    const end = await pair(nextcloud, {
      admin,
      origin: 'dashboard',
      agree: (page) => {
        expect(page.href).toContain(`${gatewayUrl}/connect/nctalk?nc_state=`);
        expect(page.searchParams.get('nc_url')).toBe(nextcloud.url);
        return Promise.resolve(finishUrl(page));
      },
    });
    expect(end.href).toBe(`${gatewayUrl}/dashboard/platforms?connected=nctalk`);
    const [{ path, body }] = got as [Got];
    expect(path).toBe('/callback');
    expect(body).toEqual({
      state: 'ours',
      nc_url: nextcloud.url,
      bot_login: expect.stringMatching(/^chamade-bot-[a-z0-9]{8}$/),
      bot_password: expect.stringMatching(/^.{32}$/),
      api_secret: nextcloud.addon.apiSecret,
      app_id: 'chamade_talk',
      nc_username: 'root',
      capabilities: ['unified_send'],
      e2ee_schemes: [],
    });
    const login = await fetch(`${nextcloud.url}/ocs/v2.php/cloud/user`, {
      headers: {
        'OCS-APIRequest': 'true',
        Authorization: `Basic ${Buffer.from(`${body.bot_login}:${body.bot_password}`).toString('base64')}`,
      },
    });
    expect(login.status).toBe(200);
    expect(nextcloud.mistakes).toEqual([]);
  });

  test.each([
    ['missing_params', (query: URLSearchParams) => query.delete('callback_url')],
    [
      'state_missing',
      () => {
        nextcloud.pages.pending = null;
      },
    ],
    ['state_mismatch', (query: URLSearchParams) => query.set('nc_state', 'other')],
    [
      'state_expired',
      () => {
        nextcloud.pages.pending = { ...nextcloud.pages.pending!, expires: 0 };
      },
    ],
    [
      'admin_mismatch',
      () => {
        nextcloud.pages.pending = { ...nextcloud.pages.pending!, adminUid: 'x' };
      },
    ],
    ['unsafe_urls', (query: URLSearchParams) => query.set('callback_url', 'http://localhost/')],
    ['bot_creation_failed', () => void answers.push({ status: 400 })],
  ] as const)('ends with %s', async (error, change) => {
    const agree = (page: URL) => Promise.resolve(finishUrl(page, change));
    const end = await pair(nextcloud, { admin, agree });
    expect(end.href).toBe(`${nextcloud.url}/settings/admin/talk?error=${error}`);
    expect(nextcloud.world.users.size).toBe(1);
  });

  test('is for administrators who have logged in', async () => {
    const browser = new BrowserVisit(nextcloud);
    const path = '/apps/chamade_talk/connect-start?origin=dashboard';
    expect((await browser.get(path)).headers.get('location')).toBe(
      `/login?redirect_url=${encodeURIComponent(path)}`,
    );
    await browser.logIn(nextcloud.user('eve'));
    expect((await browser.get(path)).status).toBe(403);
  });
});

test('pairing from the gateway asks a user on a page', async () => {
  const browser = new BrowserVisit(nextcloud);
  await browser.logIn(nextcloud.user('ada'));
  const query = new URLSearchParams({
    state: 's',
    agent_name: 'A <b>',
    callback_url: `${gatewayUrl}/callback`,
    backend_url: gatewayUrl,
  });
  const page = await (await browser.get(`/apps/chamade_talk/authorize?${query}`)).text();
  expect(page).toContain('Authorize A &lt;b&gt;');
  const fields = Object.fromEntries(
    [...page.matchAll(/name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  );
  const forged = await browser.post('/apps/chamade_talk/authorize', { ...fields, requesttoken: 'x' });
  expect(forged.status).toBe(412);
  const agreed = await browser.post('/apps/chamade_talk/authorize', fields);
  expect(agreed.headers.get('location')).toBe('http://127.0.0.1/dashboard?nctalk=connected');
  expect(got[0]?.body).toMatchObject({ state: 's', nc_username: 'ada' });
  expect(nextcloud.addon.backendUrl).toBe(gatewayUrl);
});

describe('the API', () => {
  test('takes only signed requests', async () => {
    const refused = await ask('GET', 'config', undefined, 'wrong');
    expect([refused.status, await refused.json()]).toEqual([403, { error: 'Invalid HMAC' }]);
    expect(await (await ask('GET', 'config')).json()).toEqual({
      hpb_url: '',
      stun_servers: [],
      turn_servers: [],
    });
  });

  test('keeps the list of activated conversations', async () => {
    expect(await (await ask('GET', 'authorized-rooms')).json()).toEqual({ authorized_rooms: [] });
    const put = await ask('PUT', 'authorized-rooms', { authorized_rooms: { abcd: 'ada' } });
    expect(await put.json()).toEqual({ status: 'ok', count: 1 });
    expect(await (await ask('GET', 'authorized-rooms')).json()).toEqual({
      authorized_rooms: { abcd: 'ada' },
    });
    expect((await ask('PUT', 'authorized-rooms', { authorized_rooms: 'x' })).status).toBe(400);
  });

  test('sends for bots, and deletes them', async () => {
    const { botLogin } = nextcloud.addon.pairedBot({ gatewayUrl, owner: admin });
    const bot = nextcloud.addon.bots.get(botLogin)!;
    const room = nextcloud.room({ kind: 'one-to-one', members: [bot.user, admin] });
    const sent = await ask('POST', `messages/${room.token}`, { bot_username: botLogin, content: 'hello' });
    expect(sent.status).toBe(200);
    expect(room.writtenBy(bot.user)).toMatchObject([{ text: 'hello' }]);
    nextcloud.addon.version = '2.4';
    expect(
      (await ask('POST', `messages/${room.token}`, { bot_username: botLogin, content: 'x' })).status,
    ).toBe(404);
    expect((await ask('DELETE', `bot-users/${botLogin}`)).status).toBe(200);
    expect((await ask('DELETE', `bot-users/${botLogin}`)).status).toBe(404);
    expect(nextcloud.world.users.has(botLogin)).toBe(false);
  });

  test('takes a picture for a bot', async () => {
    const { botLogin } = nextcloud.addon.pairedBot({ gatewayUrl, owner: admin });
    const form = new FormData();
    form.set('avatar', new Blob([Buffer.from('\x89PNG....', 'latin1')], { type: 'image/png' }), 'a.png');
    const random = 'r';
    const answer = await fetch(`${nextcloud.url}/apps/chamade_talk/api/v1/bot-users/${botLogin}/avatar`, {
      method: 'POST',
      headers: {
        'X-Maquisard-Random': random,
        'X-Maquisard-Signature': signatureOf(random, nextcloud.addon.apiSecret),
      },
      body: form,
    });
    expect(answer.status).toBe(200);
    expect(nextcloud.world.users.get(botLogin)?.avatar?.length).toBe(8);
  });
});

describe('events', () => {
  test('tell of messages, and the answer is posted by the bot of Talk', async () => {
    const { botLogin } = nextcloud.addon.pairedBot({ gatewayUrl, owner: admin });
    const bot = nextcloud.addon.bots.get(botLogin)!;
    const room = nextcloud.room({ kind: 'one-to-one', members: [bot.user, admin] });
    await nextcloud.addon.posts.idle();
    expect(got.map(({ path, body }) => [path, body.type])).toContainEqual([
      '/api/nctalk/attendee-added',
      'attendee_added',
    ]);
    got.length = 0;
    answers.push({ body: { message: 'hi there' } });
    room.write(admin, 'hello');
    await nextcloud.addon.posts.idle();
    const [{ path, body, headers }] = got as [Got];
    expect(path).toBe('/api/nctalk/chat');
    expect(body).toEqual({
      type: 'Create',
      room_token: room.token,
      sender: 'Root',
      sender_id: 'users/root',
      message: 'hello',
      room_type: 1,
      bot_user: botLogin,
      bot_owner: 'root',
    });
    const random = `${headers['x-maquisard-random']}`;
    expect(headers['x-maquisard-signature']).toBe(signatureOf(random, nextcloud.addon.apiSecret));
    expect(room.messages.at(-1)).toMatchObject({
      text: 'hi there',
      actor: { type: 'bots', name: 'Chamade' },
    });
    expect(got).toHaveLength(1);
  });

  test('name files since 2.4, and leave out what nobody activated', async () => {
    const { botLogin } = nextcloud.addon.pairedBot({ gatewayUrl, owner: admin });
    const bot = nextcloud.addon.bots.get(botLogin)!;
    const eve = nextcloud.user('eve');
    const room = nextcloud.room({ kind: 'group', name: 'Team', members: [admin, eve, bot.user] });
    const file = { name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('abc') };
    room.write(admin, 'unheard');
    nextcloud.addon.enableIn(room);
    room.write(admin, 'unheard too');
    room.write(eve, '/activate');
    nextcloud.addon.authorizedRooms.set(room.token, 'root');
    room.write(eve, '', { file });
    nextcloud.addon.version = '2.3';
    room.write(eve, '', { file });
    await nextcloud.addon.posts.idle();
    const chats = got.filter(({ path }) => path === '/api/nctalk/chat').map(({ body }) => body);
    expect(chats.map(({ message }) => message)).toEqual(['/activate', '{file}', '{file}']);
    expect(chats.map(({ attachments }) => attachments)).toEqual([
      undefined,
      [{ file_id: expect.any(String), name: 'a.txt', mime: 'text/plain', size: 3, path: 'Talk/a.txt' }],
      undefined,
    ]);
  });

  test('carry a probe only while they work', async () => {
    const { botLogin } = nextcloud.addon.pairedBot({ gatewayUrl, owner: admin });
    const bot = nextcloud.addon.bots.get(botLogin)!;
    const room = nextcloud.room({ kind: 'one-to-one', members: [bot.user, admin] });
    nextcloud.addon.eventsWork = false;
    room.write(bot.user, '__chamade_probe:unheard12__');
    nextcloud.addon.eventsWork = true;
    room.write(bot.user, '__chamade_probe:12345678__', { silent: true });
    room.write(bot.user, 'own words');
    await nextcloud.addon.posts.idle();
    expect(got.slice(1)).toMatchObject([
      { path: '/api/nctalk/probe', body: { nonce: '12345678', bot_login: botLogin, room_token: room.token } },
    ]);
  });

  test('tell of the end of the addon, whose bots are deleted', async () => {
    const { botLogin } = nextcloud.addon.pairedBot({ gatewayUrl, owner: admin });
    await nextcloud.addon.disable();
    expect(got).toMatchObject([
      { path: '/api/nctalk/addon-disabled', body: { nc_url: nextcloud.url, app_id: 'chamade_talk' } },
    ]);
    expect(nextcloud.world.users.has(botLogin)).toBe(false);
    expect((await ask('GET', 'config')).status).toBe(404);
  });
});
