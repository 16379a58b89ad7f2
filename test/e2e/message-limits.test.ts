import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { FakeCloudApi } from '../fakes/whatsapp/cloud-api.ts';
import type { FakePerson as WhatsAppPerson } from '../fakes/whatsapp/person.ts';
import type { Answer } from '../support/gateway-api.ts';
import { inWords, LimitTable } from '../support/limit-table.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { TurnedGateway } from '../support/turned-gateway.ts';
import { waitFor } from '../support/wait-for.ts';

/** Stands for the public internet. */
const OUTSIDE = '127.0.0.9';
/** 25 MB unless the operator says otherwise. */
const CAP_MB = 1;
const CAP_BYTES = CAP_MB * 1024 * 1024;
const TOO_LARGE = `413 File exceeds max size (${CAP_BYTES} bytes)`;
const PDF = { name: 'a.pdf', mime: 'application/pdf', bytes_b64: Buffer.from('%PDF-1.7').toString('base64') };

const table = new LimitTable();
let telegram: FakeTelegram;
let bot: FakeBot;
let ada: ReturnType<FakeBot['person']>;
let whatsApp: FakeCloudApi;
let bea: WhatsAppPerson;
let outside: Server;
let gateway: TurnedGateway;

beforeAll(async () => {
  const clock = new ManualClock();
  telegram = await FakeTelegram.start({ takesHttpWebhooks: true });
  bot = telegram.addBot();
  ada = bot.person({ id: 42, first_name: 'Ada' });
  whatsApp = await FakeCloudApi.start({ nowMs: () => Date.parse(clock.nowIso()) });
  // Statuses that overtake an answer would be handled only when the clock turns.
  whatsApp.statusPlan = [];
  outside = createServer((request, response) => {
    const [, way, lengthBytes] = request.url!.split('/');
    const bytes = Buffer.alloc(Number(lengthBytes));
    if (way === 'announced') response.writeHead(200, { 'Content-Length': bytes.length });
    response.end(bytes);
  }).listen(0, OUTSIDE);
  await once(outside, 'listening');
  gateway = await TurnedGateway.start(
    {
      ...whatsApp.settings,
      SVC_TELEGRAM_API_URL: telegram.url,
      SVC_TELEGRAM_UPDATES: 'webhook',
      SVC_FILES_FETCH_ALLOW: OUTSIDE,
      SVC_FILES_MAX_SIZE_MB: `${CAP_MB}`,
      SVC_DM_TIMEOUT_TEXT: 'off',
    },
    clock,
  );
  await gateway.settingsApi.post('/api/agents', { name: 'Second' });
  await Promise.all([meetOnTelegram(), meetOnWhatsApp()]);
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([telegram?.stop(), whatsApp?.stop()]);
  outside?.close();
  console.log(`\n${table}\n`);
});

async function meetOnTelegram(): Promise<void> {
  await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  await waitFor('the webhook', () => bot.webhook);
  ada.says('hello');
  await waitFor('her message', async () => (await send('telegram', 'hello')).status === 200);
}

async function meetOnWhatsApp(): Promise<void> {
  await whatsApp.webhook.subscribe(`${gateway.baseUrl}/api/whatsapp/webhook/shared`);
  bea = whatsApp.addPerson({ name: 'Bea', phone: '15551230002' });
  const href = await waitFor('the link', async () => {
    const { body } = await gateway.settingsApi.post('/api/invite-link');
    return body.whatsapp_url as string | null;
  });
  await whatsApp.says(bea, new URL(href).searchParams.get('text')!);
}

function send(platform: string, text: string, more: object = {}): Promise<Answer> {
  return gateway.agentApi.post('/api/dm/chat', { platform, text, ...more });
}

/** Adds a limit to the table, and checks the results on both sides of it. */
function expectSides(
  limit: string,
  [within, inside]: readonly [string, Answer],
  [beyond, beside]: readonly [string, Answer],
  told: readonly [string, string],
): void {
  const came = [inWords(inside), inWords(beside)] as const;
  table.add(limit, [within, came[0]], [beyond, came[1]]);
  expect(came, limit).toEqual(told);
}

const TOO_LONG = (most: number) => `422 String should have at most ${most} characters`;
const TOO_SHORT = '422 String should have at least 1 character';

it('accepts 1 to 10000 characters in a chat, an emoji counting as one', async () => {
  const chat = (text: string) => send('agent', text, { peer: 'Second' });
  expectSides('DM text, characters', ['1', await chat('x')], ['0', await chat('')], ['200', TOO_SHORT]);
  for (const letter of ['x', '🔑']) {
    const [full, over] = [letter.repeat(10_000), letter.repeat(10_001)];
    expectSides(
      `DM text, characters (${letter})`,
      ['10000', await chat(full)],
      ['10001', await chat(over)],
      ['200', TOO_LONG(10_000)],
    );
  }
  // The call is looked up only when the text is valid.
  const inCall = (text: string) => gateway.agentApi.post('/api/call/call_none/chat', { text });
  const noCall = '404 Call not found';
  expectSides('call chat text', ['1', await inCall('x')], ['0', await inCall('')], [noCall, TOO_SHORT]);
  expectSides(
    'call chat text',
    ['10000', await inCall('🔑'.repeat(10_000))],
    ['10001', await inCall('x'.repeat(10_001))],
    [noCall, TOO_LONG(10_000)],
  );
});

it('accepts agent names of 1 to 80 characters', async () => {
  const named = (name: string) => gateway.settingsApi.post('/api/agents', { name });
  expectSides('agent name', ['1', await named('x')], ['0', await named('')], ['200', TOO_SHORT]);
  expectSides(
    'agent name',
    ['80', await named('é'.repeat(80))],
    ['81', await named('é'.repeat(81))],
    ['200', TOO_LONG(80)],
  );
});

it('accepts 4096 visible characters for Telegram', async () => {
  const tooLong =
    '502 Failed to send message: the message is too long for Telegram: 4097 characters, at most 4096';
  for (const [how, made] of [
    ['x', (count: number) => 'x'.repeat(count)],
    ['😀', (count: number) => '😀'.repeat(count)],
    ['in bold', (count: number) => `*${'x'.repeat(count)}*`],
  ] as const) {
    const within = await send('telegram', made(4_096));
    expectSides(
      `telegram text (${how})`,
      ['4096', within],
      ['4097', await send('telegram', made(4_097))],
      ['200', tooLong],
    );
    expect([...ada.received.at(-1)!.text!]).toHaveLength(4_096);
  }
});

it('sends up to 1024 characters as a caption on Telegram, and more before the file', async () => {
  const before = ada.received.length;
  const within = await send('telegram', 'c'.repeat(1_024), { attachments: [PDF] });
  const beyond = await send('telegram', 'd'.repeat(1_025), { attachments: [PDF] });
  await waitFor('all three', () => ada.received.length >= before + 3);
  const came = ada.received
    .slice(before)
    .map(({ text, caption, document }) => [text?.length, caption?.length, document !== undefined]);
  expect(came).toEqual([
    [undefined, 1_024, true],
    [1_025, undefined, false],
    [undefined, undefined, true],
  ]);
  table.add(
    'telegram caption',
    ['1024', `${inWords(within)}, under the file`],
    ['1025', `${inWords(beyond)}, before it`],
  );
});

it('accepts 1600 characters for WhatsApp, 1024 in a caption', async () => {
  const refused = (what: string, most: number, has: number) =>
    `502 Failed to send message: ${what} is too long for WhatsApp: ${has} characters, at most ${most}`;
  const chat = (text: string, more = {}) => send('whatsapp', text, more);
  expectSides(
    'whatsapp text',
    ['1600', await chat('x'.repeat(1_600))],
    ['1601', await chat('x'.repeat(1_601))],
    ['200', refused('the message', 1_600, 1_601)],
  );
  expectSides(
    'whatsapp text (😀, two units each)',
    ['800', await chat('😀'.repeat(800))],
    ['801', await chat('😀'.repeat(801))],
    ['200', refused('the message', 1_600, 1_602)],
  );
  const file = { attachments: [PDF] };
  expectSides(
    'whatsapp caption',
    ['1024', await chat('x'.repeat(1_024), file)],
    ['1025', await chat('x'.repeat(1_025), file)],
    ['202 still_sending', refused('the caption', 1_024, 1_025)],
  );
  await waitFor('the file', () => bea.texts.length === 3);
  expect(bea.texts.map(({ length }) => length)).toEqual([1_600, 1_600, 1_024]);
});

it('accepts 10 attachments with a message', async () => {
  const { file_id } = (await gateway.upload(Buffer.from('x'))).body;
  const attach = (count: number) =>
    send('agent', 'files', { peer: 'Second', attachments: Array(count).fill({ file_id }) });
  expectSides(
    'attachments of a message',
    ['10', await attach(10)],
    ['11', await attach(11)],
    ['200', '422 List should have at most 10 items'],
  );
});

it('accepts files up to their limit by every upload route', async () => {
  const [full, over] = [Buffer.alloc(CAP_BYTES), Buffer.alloc(CAP_BYTES + 1)];
  const sides = (way: string, within: Answer, beyond: Answer, told = ['200', TOO_LARGE] as const) =>
    expectSides(way, [`${CAP_BYTES} bytes`, within], [`${CAP_BYTES + 1} bytes`, beyond], told);
  sides('file as a form', await gateway.upload(full), await gateway.upload(over));
  const inJson = (bytes: Buffer) =>
    gateway.agentApi.post('/api/files', { name: 'a', mime: 'a/b', bytes_b64: bytes.toString('base64') });
  sides('file as base64 in JSON', await inJson(full), await inJson(over));

  const slot = async () => {
    const { body } = await gateway.agentApi.post('/api/files/reserve', { name: 'a', mime: 'a/b' });
    return body.upload_url as string;
  };
  sides(
    'file into a slot',
    await gateway.upload(full, await slot()),
    await gateway.upload(over, await slot()),
  );

  const { port } = outside.address() as AddressInfo;
  const urlOf = (way: string, lengthBytes: number) => `http://${OUTSIDE}:${port}/${way}/${lengthBytes}`;
  for (const way of ['announced', 'unannounced']) {
    const fetched = (lengthBytes: number) =>
      gateway.agentApi.post('/api/files', { url: urlOf(way, lengthBytes) });
    sides(`file by URL, length ${way}`, await fetched(CAP_BYTES), await fetched(CAP_BYTES + 1));
  }
  const attached = (lengthBytes: number) =>
    send('agent', 'a file', {
      peer: 'Second',
      attachments: [{ url: urlOf('announced', lengthBytes) }],
    });
  sides('attachment by URL', await attached(CAP_BYTES), await attached(CAP_BYTES + 1));
});

it('stores received files up to their limit, and replaces larger ones with a note', async () => {
  const sent = async (lengthBytes: number) => {
    const { id } = whatsApp.media.add('application/pdf', 'a.pdf', Buffer.alloc(lengthBytes));
    await whatsApp.writes(bea, 'document', { id, mime_type: 'application/pdf', filename: 'a.pdf' });
    const { body } = await gateway.agentApi.get('/api/inbox?platform=whatsapp&limit=1');
    const [{ text, attachments }] = body.conversations[0].messages;
    return { text: text as string, sizes: attachments.map(({ size }: { size: number }) => size) };
  };
  const [within, beyond] = [await sent(CAP_BYTES), await sent(CAP_BYTES + 1)];
  expect(within).toEqual({ text: '', sizes: [CAP_BYTES] });
  expect(beyond).toEqual({ text: '[attachment too large]', sizes: [] });
  table.add(
    'file that somebody sends',
    [`${CAP_BYTES} bytes`, 'kept'],
    [`${CAP_BYTES + 1} bytes`, beyond.text],
  );
});

/** An agent key with a bot of its own and conversations with 51 people. */
async function crowd() {
  const { settingsApi } = gateway;
  const own = telegram.addBot();
  const bot_token = own.token;
  const { body: login } = await settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token });
  await waitFor('the webhook', () => own.webhook);
  const { body: agent } = await settingsApi.post('/api/agents', { name: 'Reader' });
  const path = `/api/agents/${agent.id}`;
  await settingsApi.post(`${path}/accounts`, { account_type: 'bot_token', account_id: login.id });
  const { key } = (await settingsApi.post(`${path}/keys`)).body;
  const people = Array.from({ length: 51 }, (_, n) => own.person({ id: 1_000 + n, first_name: `${n}` }));
  for (const person of people) person.says('hello');
  const api = gateway.api(key);
  await waitFor('all of them', async () => {
    const { conversations } = (await api.get('/api/inbox?limit=200')).body;
    return conversations.length === people.length;
  });
  return { api, people };
}

it('lists 50 active conversations from the first by default', async () => {
  const { api, people } = await crowd();
  const read = async (query: string) => await api.get(`/api/inbox${query}`);
  const count = (answer: Answer) => `${answer.status}, ${answer.body.conversations.length}`;
  const [usual, all] = [await read(''), await read('?limit=51')];
  table.add('inbox limit, 51 conversations', ['default', count(usual)], ['51', count(all)]);
  expect([count(usual), count(all)]).toEqual(['200, 50', '200, 51']);
  const rest = await read('?offset=50');
  table.add(
    'inbox offset',
    ['default', `${usual.body.conversations[0].remote_name} first`],
    ['50', count(rest)],
  );
  expect(usual.body.conversations[0].remote_name).toBe('50');
  expect(rest.body.conversations.map(({ remote_name }: { remote_name: string }) => remote_name)).toEqual([
    '0',
  ]);

  people[7]!.blocks();
  const active = async () => (await read('?limit=200')).body.conversations.length;
  await waitFor('the closed one', async () => (await active()) === 50);
  const [open, every] = [await read('?limit=200'), await read('?limit=200&status=all')];
  table.add('inbox status', ['default', count(open)], ['all', count(every)]);
  expect([count(open), count(every)]).toEqual(['200, 50', '200, 51']);
  expectSides(
    'inbox limit',
    ['200', open],
    ['201', await read('?limit=201')],
    ['200', '422 Input should be less than or equal to 200'],
  );
  expectSides(
    'inbox limit',
    ['1', await read('?limit=1')],
    ['0', await read('?limit=0')],
    ['200', '422 Input should be greater than or equal to 1'],
  );
  expectSides(
    'inbox offset',
    ['0', await read('?offset=0')],
    ['-1', await read('?offset=-1')],
    ['200', '422 Input should be greater than or equal to 0'],
  );
});

it('shows 50 messages of a conversation, or 50 new ones, by default', async () => {
  const { body } = await gateway.agentApi.get('/api/inbox');
  const writer = bot.person({ id: 4_343, first_name: 'Writer' });
  for (let n = 1; n <= 51; n++) writer.says(`${n}`);
  const detail = async (query: string) =>
    (await gateway.agentApi.get(`/api/inbox?platform=telegram&peer=4343${query}`)).body.conversations?.[0];
  await waitFor('all of them', async () => (await detail('&limit=51'))?.messages.length === 51);
  const { messages, conversation_id } = await detail('');
  const single = (await gateway.agentApi.get(`/api/inbox/${conversation_id}`)).body.messages;
  const texts = (shown: { text: string }[]) => [shown.length, shown[0]!.text, shown.at(-1)!.text];
  expect([texts(messages), texts(single)]).toEqual([
    [50, '2', '51'],
    [50, '2', '51'],
  ]);

  const since = async (cursor: string) =>
    (await gateway.agentApi.get(`/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`)).body;
  const first = await since(body.cursor);
  const second = await since(first.cursor);
  const [one, other] = [first, second].map((delta) => texts(delta.conversations[0].messages));
  expect([one, other]).toEqual([
    [50, '1', '50'],
    [1, '51', '51'],
  ]);
  table.add('messages of a conversation, 51 there', ['default', '200, the newest 50'], ['51', '200, all']);
  table.add('new messages, 51 there', ['default', '200, the first 50'], ['from its cursor', '200, the last']);
});
