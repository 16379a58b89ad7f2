import { PermissionFlagsBits } from 'discord-api-types/v10';
import { expect, test } from 'vitest';
import type { FakeDiscordOptions } from '../../fakes/discord/fake-discord.ts';
import { startWorld } from './oceanic-bot.ts';
import { RestCaller } from './rest-caller.ts';

async function startCalling(options: FakeDiscordOptions = {}) {
  const world = await startWorld(options);
  const rest = new RestCaller(world.discord, world.bot);
  return { ...world, rest, messages: `/channels/${world.channel.id}/messages` };
}

test.each<[string, unknown, string]>([
  ['an unknown field', { content: 'x', colour: 'red' }, 'colour'],
  ['an unknown field inside', { content: 'x', allowed_mentions: { everybody: true } }, 'allowed_mentions'],
])('%s is refused, and a mistake', async (_what, body, field) => {
  const { discord, rest, messages } = await startCalling();
  const refusal = await rest.post(messages, body);
  expect(refusal).toMatchObject({
    status: 400,
    body: { code: 50035, errors: { [field]: expect.anything() } },
  });
  expect(discord.mistakes).toHaveLength(1);
  await expect(discord.stop()).rejects.toThrow(field);
});

test('a body that is wrong is refused as Discord does, field by field', async () => {
  const { rest, messages } = await startCalling();
  const body = { content: 'a'.repeat(2_001), nonce: 'n'.repeat(26), tts: 'yes' };
  expect((await rest.post(messages, body)).body).toMatchObject({
    code: 50035,
    message: 'Invalid Form Body',
    errors: {
      content: { _errors: [{ code: 'BASE_TYPE_MAX_LENGTH', message: 'Must be 2000 or fewer in length.' }] },
      tts: { _errors: [{ code: 'BASE_TYPE_BAD_TYPE' }] },
    },
  });
  const exclusive = { content: 'x', allowed_mentions: { parse: ['users'], users: ['123456789012345678'] } };
  expect((await rest.post(messages, exclusive)).body.errors.allowed_mentions._errors[0].code).toBe(
    'MESSAGE_ALLOWED_MENTIONS_PARSE_EXCLUSIVE',
  );
});

test('who does not name itself, or has a wrong token, gets nothing', async () => {
  const { discord, bot } = await startCalling();
  const nameless = new RestCaller(discord, bot, { 'User-Agent': 'curl/8.0' });
  expect(await nameless.get('/users/@me')).toMatchObject({ status: 403, body: { code: 40333 } });
  const stranger = new RestCaller(discord, bot, { Authorization: 'Bot abc' });
  const unauthorized = { status: 401, body: { message: '401: Unauthorized', code: 0 } };
  expect(await stranger.get('/users/@me')).toMatchObject(unauthorized);
  discord.revoke(bot);
  expect(await new RestCaller(discord, bot).get('/users/@me')).toMatchObject(unauthorized);
});

test('channels and messages that are not there, or that the bot may not use', async () => {
  const { discord, rest, channel, ada, messages } = await startCalling();
  const codeOf = async (path: string) => (await rest.get(path)).body.code;
  expect(await codeOf('/channels/123456789012345678')).toBe(10003);
  expect(await codeOf(`${messages}/123456789012345678`)).toBe(10008);
  expect(await codeOf(`/channels/${ada.dm(discord.addBot()).id}`)).toBe(50001);
  expect((await rest.get('/channels/general')).status).toBe(400);
  expect((await rest.get('/nowhere')).status).toBe(404);
  discord.moderator.overwrites(channel, 'everyone', { deny: PermissionFlagsBits.SendMessages });
  expect((await rest.post(messages, { content: 'x' })).body.code).toBe(50013);
  discord.moderator.overwrites(channel, 'everyone', { deny: PermissionFlagsBits.ViewChannel });
  expect((await rest.post(messages, { content: 'x' })).body.code).toBe(50001);
});

test('files have the limit of their guild, and are as described', async () => {
  const { guild, rest, messages, ada, bot } = await startCalling();
  guild.uploadLimitBytes = 100;
  expect(await rest.upload(messages, {}, [Buffer.alloc(101)])).toMatchObject({
    status: 413,
    body: { code: 40005 },
  });
  expect((await rest.upload(messages, { attachments: [{ id: 1 }] }, [Buffer.alloc(9)])).body.code).toBe(
    50035,
  );
  const many = Array.from({ length: 11 }, () => Buffer.alloc(1));
  expect((await rest.upload(messages, {}, many)).body.code).toBe(50035);
  const dm = `/channels/${ada.dm(bot).id}/messages`;
  const sent = await rest.upload(dm, { attachments: [{ id: 0, filename: 'a b.txt' }] }, [
    Buffer.from('text'),
  ]);
  expect(sent.body.attachments).toMatchObject([{ filename: 'a_b.txt', size: 4 }]);
});

test('a nonce that is enforced makes one message of two, of the same author only', async () => {
  let nowMs = Date.now();
  const { discord, guild, channel, bot, rest, messages } = await startCalling({ nowMs: () => nowMs });
  const body = { content: 'once', nonce: 'n1', enforce_nonce: true };
  const first = await rest.post(messages, body);
  expect((await rest.post(messages, body)).body.id).toBe(first.body.id);
  expect((await rest.post(messages, { ...body, enforce_nonce: false })).body.id).not.toBe(first.body.id);
  const other = discord.addBot();
  discord.install(other, guild);
  await new RestCaller(discord, other).post(messages, body);
  nowMs += 600_000;
  await rest.post(messages, body);
  expect(channel.messages.filter(({ author }) => author === bot.user)).toHaveLength(3);
  expect(channel.messages).toHaveLength(4);
});

test('mentions notify only whom the message allows', async () => {
  const { channel, ada, rest, messages } = await startCalling();
  const content = `<@${ada.id}> @everyone`;
  await rest.post(messages, { content });
  await rest.post(messages, { content, allowed_mentions: { parse: [] } });
  const notified = channel.messages.map(({ mentions }) => [mentions.users.length, mentions.isEveryone]);
  expect(notified).toEqual([
    [1, true],
    [0, false],
  ]);
});

test('addresses of files expire after a day, and a message is told with fresh ones', async () => {
  let nowMs = Date.now();
  const { ada, channel, rest, messages } = await startCalling({ nowMs: () => nowMs });
  const message = ada.sendsFiles(channel, [
    { name: 'a.txt', mime: 'text/plain', bytes: Buffer.from('text') },
  ]);
  const addressNow = async (): Promise<string> =>
    (await rest.get(`${messages}/${message.id}`)).body.attachments[0].url;
  const old = await addressNow();
  expect(await (await fetch(old)).text()).toBe('text');
  expect((await fetch(old.replace(/ex=\w+/, 'ex=7fffffff'))).status).toBe(404);
  nowMs += 25 * 3_600_000;
  expect((await fetch(old)).status).toBe(404);
  const fresh = await addressNow();
  expect((await fetch(fresh)).status).toBe(200);
  ada.deletes(message);
  expect((await fetch(fresh)).status).toBe(404);
});

test('too many requests of a route are refused, and all of a bot, with the headers that say so', async () => {
  let nowMs = Date.now();
  const { rest, messages } = await startCalling({ nowMs: () => nowMs });
  const statuses: number[] = [];
  for (let n = 0; n < 5; n++) statuses.push((await rest.post(messages, { content: 'x' })).status);
  expect(statuses).toEqual([200, 200, 200, 200, 200]);
  const refused = await rest.post(messages, { content: 'x' });
  expect(refused).toMatchObject({ status: 429, body: { global: false, retry_after: 5 } });
  expect(Object.fromEntries(refused.headers)).toMatchObject({
    'retry-after': '5',
    'x-ratelimit-limit': '5',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-scope': 'user',
  });
  nowMs += 10_000;
  const all = await Promise.all(Array.from({ length: 51 }, () => rest.get('/nowhere')));
  expect(all.every(({ status }) => status === 404)).toBe(true);
  const channels = Array.from({ length: 51 }, (_, n) => `/channels/${123456789012345000n + BigInt(n)}`);
  const answers = await Promise.all(channels.map((path) => rest.get(path)));
  const global = answers.find(({ status }) => status === 429);
  expect(global?.body).toMatchObject({ global: true });
  expect(global?.headers.get('x-ratelimit-scope')).toBe('global');
});

test('after too many refusals Cloudflare bans the address, for everybody', async () => {
  const { discord, bot, rest } = await startCalling({ invalidRequestLimit: 3 });
  const stranger = new RestCaller(discord, bot, { Authorization: 'Bot abc' });
  for (let n = 0; n < 3; n++) expect((await stranger.get('/users/@me')).status).toBe(401);
  const banned = await rest.get('/users/@me');
  expect(banned.status).toBe(429);
  expect(banned.body).toContain('1015');
});

test('slow mode', async () => {
  const { discord, channel, rest, messages } = await startCalling();
  discord.moderator.setsSlowMode(channel, 30);
  expect((await rest.post(messages, { content: 'one' })).status).toBe(200);
  expect(await rest.post(messages, { content: 'two' })).toMatchObject({ status: 429, body: { code: 20016 } });
});
