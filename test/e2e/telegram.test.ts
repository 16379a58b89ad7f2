import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(3_000, 7)]);

let telegram: FakeTelegram;
let shared: FakeBot;
let gateway: Gateway;

beforeAll(async () => {
  telegram = await FakeTelegram.start({ webhookRetryMs: 50 });
  shared = telegram.addBot('all_bot');
  gateway = await Gateway.start({
    env: { SVC_TELEGRAM_API_URL: telegram.url, SVC_TELEGRAM_BOT_TOKEN: shared.token },
  });
  gateway.secrets.add(shared.token);
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
  expect(telegram.offences).toEqual([]);
});

async function registered(username: string): Promise<{ bot: FakeBot; id: string }> {
  const bot = telegram.addBot(username);
  gateway.secrets.add(bot.token);
  const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  expect([status, body.status, body.bot_name]).toEqual([200, 'ok', `@${username}`]);
  return { bot, id: body.id };
}

/** What the inbox has new since a cursor. */
async function news(cursor: string) {
  const path = `/api/inbox?platform=telegram&wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
  return (await gateway.agentApi.get(path)).body;
}

const cursorNow = async () => (await gateway.agentApi.get('/api/inbox')).body.cursor;

it('receives messages that people write to an account’s own bot', async () => {
  const { bot, id } = await registered('own_bot');
  const ada = bot.person({ id: 42, first_name: 'Ada' });
  const cursor = await cursorNow();
  ada.says('hello');
  const { conversations } = await news(cursor);
  expect(conversations).toMatchObject([
    {
      platform: 'telegram',
      remote_id: '42',
      remote_name: 'Ada',
      messages: [{ text: 'hello', direction: 'inbound' }],
    },
  ]);
  expect((await gateway.settingsApi.delete(`/api/bot-tokens/${id}`)).status).toBe(200);
});

const hasGot = ({ received }: ReturnType<FakeBot['person']>, start: string) =>
  received.some(({ text }) => text?.startsWith(start));

it('sends test messages to the owner of a bot, not to strangers who write to it', async () => {
  const { bot, id } = await registered('owned_bot');
  const [ada, eve] = [bot.person({ id: 44, first_name: 'Ada' }), bot.person({ id: 66, first_name: 'Eve' })];
  const cursor = await cursorNow();
  eve.says('Send it to me');
  await news(cursor);
  const path = '/api/platforms/telegram';
  const test = () => gateway.settingsApi.post(`${path}/test-dm?connection_id=${id}`);
  expect((await test()).status).toBe(400);

  const { body: made } = await gateway.settingsApi.post(`${path}/owner/code?connection_id=${id}`);
  gateway.secrets.add(made.code);
  eve.says('owner-0000-0000-0000');
  ada.says(made.code);
  await waitFor('the confirmation', () => hasGot(ada, 'You are now the owner'));
  expect((await test()).status).toBe(200);
  await waitFor('the test message', () => hasGot(ada, 'This is a test message'));
  expect(eve.received).toEqual([]);
  expect((await gateway.settingsApi.delete(`/api/bot-tokens/${id}`)).status).toBe(200);
});

it('transfers files both ways, and reports why a message fails', async () => {
  const { bot, id } = await registered('file_bot');
  const ada = bot.person({ id: 43, first_name: 'Ada' });
  const cursor = await cursorNow();
  ada.sends('photo', { name: 'p', mime: 'image/jpeg', bytes: JPEG }, { caption: 'look' });
  const [{ messages }] = (await news(cursor)).conversations;
  expect(messages[0].text).toBe('look');
  const [attachment] = messages[0].attachments;
  expect(attachment).toMatchObject({ mime: 'image/jpeg', size: JPEG.length });
  expect(Buffer.from(await (await fetch(attachment.url)).arrayBuffer())).toEqual(JPEG);

  const answer = await gateway.agentApi.post('/api/dm/chat', {
    platform: 'telegram',
    text: '*Nice*',
    attachments: [{ bytes_b64: JPEG.toString('base64'), name: 'back.jpg', mime: 'image/jpeg' }],
  });
  expect([answer.status, answer.body.reason]).toEqual([202, 'still_sending']);
  await waitFor('it to arrive', () => ada.received.at(-1)?.caption === 'Nice');
  expect(ada.received.at(-1)).toMatchObject({ caption: 'Nice', caption_entities: [{ type: 'bold' }] });

  const tooLong = await gateway.agentApi.post('/api/dm/chat', {
    platform: 'telegram',
    text: 'a'.repeat(4_097),
  });
  expect([tooLong.status, tooLong.body.detail]).toEqual([
    502,
    expect.stringMatching(/^Failed to send message: the message is too long/),
  ]);
  telegram.fail('sendMessage', { kind: 'throttle', retryAfterS: 1 });
  const patient = await gateway.agentApi.post('/api/dm/chat', {
    platform: 'telegram',
    text: 'a'.repeat(4_096),
  });
  expect(patient.status).toBe(200);
  ada.hasBlocked = true;
  const refused = await gateway.agentApi.post('/api/dm/chat', { platform: 'telegram', text: 'still there?' });
  expect([refused.status, refused.body.detail]).toEqual([
    502,
    'Failed to send message: Forbidden: bot was blocked by the user',
  ]);
  expect((await gateway.settingsApi.delete(`/api/bot-tokens/${id}`)).status).toBe(200);
});

it('connects a person who opens the deep link of the shared bot', async () => {
  const bob = shared.person({ id: 77, first_name: 'Bob' });
  bob.says('hello?');
  await waitFor('the polite answer', () => bob.received.length === 1);
  const { body } = await gateway.settingsApi.post('/api/telegram/connect');
  expect(body).toMatchObject({
    bot_name: '@all_bot',
    deep_link: expect.stringContaining('https://t.me/all_bot?start='),
  });
  const cursor = await cursorNow();
  bob.opens(body.deep_link.split('start=')[1]);
  await waitFor('the welcome', () => bob.received.length === 2);
  bob.says('here I am');
  await waitFor('the message', async () =>
    JSON.stringify((await news(cursor)).conversations).includes('here I am'),
  );
  const platforms = (await gateway.settingsApi.get('/api/platforms')).body.platforms;
  expect(platforms[4]).toMatchObject({
    platform: 'telegram',
    status: 'ok',
    accounts: expect.arrayContaining([expect.objectContaining({ type: 'connection', label: 'Bob' })]),
  });
  expect((await gateway.agentApi.get('/api/account')).body.platforms.telegram.status).toBe('ok');
  bob.opens(body.deep_link.split('start=')[1]);
  await waitFor('the refusal', () => bob.received.some(({ text }) => text?.includes('no longer valid')));
});

it('reports a revoked bot with the error of Telegram, and never logs its token', async () => {
  const { bot, id } = await registered('gone_bot');
  telegram.revoke(bot);
  const statusOf = async () => {
    const { bot_tokens: bots } = (await gateway.settingsApi.get('/api/bot-tokens')).body;
    return bots.find((each: { id: string }) => each.id === id)?.status;
  };
  await waitFor('the state', async () => (await statusOf()) === 'Unauthorized');
  const again = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: '123456:never-was-one-never-was-one-never-w',
  });
  expect([again.status, again.body]).toEqual([
    400,
    { detail: 'The platform refused the bot token: Unauthorized', code: 'bot_refused' },
  ]);
  for (const secret of [bot.token, shared.token]) expect(gateway.output).not.toContain(secret);
});
