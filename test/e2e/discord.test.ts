import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import { FakeDiscord } from '../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../fakes/discord/fake-person.ts';
import type { FakeGuild } from '../fakes/discord/world/guild.ts';
import type { AnyJson } from '../support/any-json.ts';
import { CookieBrowser } from '../support/browser-cookies.ts';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { waitFor } from '../support/wait-for.ts';

const PDF = Buffer.alloc(5_000, '%PDF');

let discord: FakeDiscord;
let shared: FakeBot;
let guild: FakeGuild;
let gateway: Gateway;

beforeAll(async () => {
  discord = await FakeDiscord.start({ identifyWindowMs: 100 });
  shared = discord.addBot({ username: 'all_bot' });
  guild = discord.addGuild('Home', discord.addPerson('Olga'));
  discord.install(shared, guild);
  gateway = await Gateway.start({
    env: {
      SVC_SIGNUP: 'open',
      SVC_DM_TIMEOUT_TEXT: 'off',
      SVC_DISCORD_API_URL: `${discord.url}/api`,
      SVC_DISCORD_CDN_URL: discord.url,
      SVC_DISCORD_BOT_TOKEN: shared.token,
      SVC_DISCORD_APPLICATION_ID: shared.applicationId,
      SVC_DISCORD_CLIENT_SECRET: shared.clientSecret,
    },
  });
  for (const secret of [shared.token, shared.clientSecret]) gateway.secrets.add(secret);
  shared.redirectUris.add(`${gateway.baseUrl}/api/oauth/discord/callback`);
});
afterAll(async () => {
  await gateway?.stop();
  await discord?.stop();
});

function member(name: string): FakePerson {
  const person = discord.addPerson(name);
  person.joins(guild);
  return person;
}

function registration({ token, applicationId }: FakeBot) {
  return { platform: 'discord', bot_token: token, discord_app_id: applicationId };
}

async function registered(username: string): Promise<{ bot: FakeBot; id: string }> {
  const bot = discord.addBot({ username });
  discord.install(bot, guild);
  gateway.secrets.add(bot.token);
  const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', registration(bot));
  expect([status, body.status, body.bot_name]).toEqual([200, 'ok', `@${username}`]);
  return { bot, id: body.id };
}

async function removed(id: string): Promise<void> {
  expect((await gateway.settingsApi.delete(`/api/bot-tokens/${id}`)).status).toBe(200);
}

const cursorNow = async (): Promise<string> => (await gateway.agentApi.get('/api/inbox')).body.cursor;

/** What the inbox has new since a cursor. */
async function news(cursor: string): Promise<AnyJson> {
  const path = `/api/inbox?platform=discord&wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
  return (await gateway.agentApi.get(path)).body;
}

const hasGot = (person: FakePerson, bot: FakeBot, start: string) =>
  person.received(bot).some(({ content }) => content.startsWith(start));

it('exchanges messages and files over an account’s own bot, also after a restart', async () => {
  const { bot, id } = await registered('own_bot');
  const ada = member('Ada');
  const cursor = await cursorNow();
  ada.sendsFiles(bot, [{ name: 'plan.pdf', mime: 'application/pdf', bytes: PDF }], 'see');
  const { conversations } = await news(cursor);
  expect(conversations).toMatchObject([
    {
      platform: 'discord',
      remote_id: ada.id,
      remote_name: 'Ada',
      messages: [{ text: 'see', direction: 'inbound' }],
    },
  ]);
  const [attachment] = conversations[0].messages[0].attachments;
  expect(Buffer.from(await (await fetch(attachment.url)).arrayBuffer())).toEqual(PDF);

  const reply = { platform: 'discord', text: '*Thanks*' };
  expect((await gateway.agentApi.post('/api/dm/chat', reply)).status).toBe(200);
  expect(ada.received(bot).at(-1)?.content).toBe('**Thanks**');

  const sessions = 1_000 - bot.identifiesLeft;
  const before = cursor;
  await gateway.restart(() => void ada.writes(bot, 'while you were away'));
  await waitFor('the message', async () =>
    JSON.stringify(await news(before)).includes('while you were away'),
  );
  expect(1_000 - bot.identifiesLeft).toBe(sessions);
  const tooLong = await gateway.agentApi.post('/api/dm/chat', {
    platform: 'discord',
    text: 'a'.repeat(2_001),
  });
  expect([tooLong.status, tooLong.body.detail]).toEqual([
    502,
    expect.stringMatching(/^Failed to send message: the message is too long/),
  ]);
  await removed(id);
  await waitFor('it to be offline', () => discord.gateway.sessionsOf(bot).length === 0);
}, 60_000);

it('sends test messages to the owner of a bot, not to strangers', async () => {
  const { bot, id } = await registered('owned_bot');
  const [ada, eve] = [member('Ada'), member('Eve')];
  const path = '/api/platforms/discord';
  const { body: made } = await gateway.settingsApi.post(`${path}/owner/code?connection_id=${id}`);
  gateway.secrets.add(made.code);
  eve.writes(bot, 'owner-0000-0000-0000');
  ada.writes(bot, made.code);
  await waitFor('the confirmation', () => hasGot(ada, bot, 'You are now the owner'));
  expect((await gateway.settingsApi.post(`${path}/test-dm?connection_id=${id}`)).status).toBe(200);
  await waitFor('the test message', () => hasGot(ada, bot, 'This is a test message'));
  expect(eve.received(bot)).toEqual([]);
  await removed(id);
});

it('refuses another account the same bot, and the shared one, with any token', async () => {
  const { bot, id } = await registered('claimed_bot');
  const stranger = await memberOf(gateway, 'stranger@example.com');
  for (const claimed of [bot, shared]) {
    const { status, body } = await stranger.request('POST', '/api/bot-tokens', registration(claimed));
    expect([status, body.detail]).toEqual([409, 'Bot token is already registered']);
  }
  gateway.secrets.add(bot.resetToken());
  const { status } = await stranger.request('POST', '/api/bot-tokens', registration(bot));
  expect(status).toBe(409);
  const foreign = { ...registration(bot), discord_app_id: '123456789012345678' };
  expect((await stranger.request('POST', '/api/bot-tokens', foreign)).status).toBe(400);
  await removed(id);
});

it('links a person to the shared bot by a code, and nobody else by the same one', async () => {
  const [ada, eve] = [member('Ada'), member('Eve')];
  ada.writes(shared, 'hello?');
  await waitFor('the polite answer', () => hasGot(ada, shared, 'This bot does not know'));
  const { body } = await gateway.settingsApi.post('/api/discord/connect');
  expect(body).toMatchObject({
    bot_name: '@all_bot',
    deep_link: expect.stringContaining(
      `/oauth2/authorize?client_id=${shared.applicationId}&scope=bot&permissions=`,
    ),
    code: expect.stringMatching(/^[\w-]{32}$/),
  });
  const cursor = await cursorNow();
  ada.writes(shared, body.code);
  await waitFor('the welcome', () => hasGot(ada, shared, 'You are connected'));
  eve.writes(shared, body.code);
  await waitFor('the refusal', () => hasGot(eve, shared, 'This code is not valid'));
  ada.writes(shared, 'here I am');
  const { conversations } = await news(cursor);
  expect(JSON.stringify(conversations)).toContain('here I am');
  expect(JSON.stringify(conversations)).not.toContain(eve.id);
  const { platforms } = (await gateway.settingsApi.get('/api/platforms')).body;
  expect(platforms[0]).toMatchObject({
    platform: 'discord',
    status: 'ok',
    accounts: [{ type: 'connection', label: 'Ada' }],
  });
});

it('links a person to the shared bot by signing in at Discord', async () => {
  const bob = member('Bob');
  discord.oauth.visitor = bob.user;
  const started = await gateway.settingsApi.post('/api/oauth/start/discord', {});
  expect(started.status).toBe(200);
  const callback = '/api/oauth/discord/callback';
  const browser = new CookieBrowser();
  const back = await browser.goUntil(started.body.authorize_url, ({ pathname }) => pathname === callback);
  expect((await fetch(back)).status).toBe(200);
  const headers = { 'sec-fetch-site': 'same-origin' };
  const confirmed = await fetch(back, { method: 'POST', headers, redirect: 'manual' });
  expect(confirmed.status).toBe(200);

  const cursor = await cursorNow();
  bob.writes(shared, 'signed in');
  const { conversations } = await news(cursor);
  expect(conversations).toMatchObject([{ remote_id: bob.id, messages: [{ text: 'signed in' }] }]);

  const { platforms } = (await gateway.settingsApi.get('/api/platforms')).body;
  const { id } = platforms[0].accounts.find(({ label }: AnyJson) => label === 'Bob');
  expect((await gateway.settingsApi.delete(`/api/connections/${id}`)).status).toBe(200);
  await waitFor('the grant to be revoked', () => discord.oauth.grants.count === 0);
});

it('reports a dead token in Discord’s words, and never logs it', async () => {
  const { bot, id } = await registered('gone_bot');
  bot.isRevoked = true;
  discord.gateway.faults.close(bot, 4004);
  const statusOf = async () => {
    const { bot_tokens: bots } = (await gateway.settingsApi.get('/api/bot-tokens')).body;
    return bots.find((each: AnyJson) => each.id === id)?.status;
  };
  await waitFor('the state', async () => (await statusOf()) === '401: Unauthorized');
  const refused = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'discord',
    bot_token: 'MTIzNDU2Nzg5MDEyMzQ1Njc4.GkX2pA.never-was-one-never-was-one',
    discord_app_id: bot.applicationId,
  });
  expect([refused.status, refused.body]).toEqual([
    400,
    { detail: 'The platform refused the bot token: 401: Unauthorized', code: 'bot_refused' },
  ]);
  for (const secret of [bot.token, shared.token, shared.clientSecret])
    expect(gateway.output).not.toContain(secret);
});

it('says that there is no bot where there is none', async () => {
  const bare = await Gateway.start();
  const { status, body } = await bare.settingsApi.post('/api/discord/connect');
  expect([status, body.detail]).toEqual([400, 'No discord bot registered']);
  await bare.stop();
});
