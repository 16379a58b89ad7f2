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

const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const UNKNOWN_TOKEN = '404 Unknown file token';
const LATE_TEXT = 'One moment, please';

type Person = ReturnType<FakeBot['person']>;

const table = new LimitTable();
const clock = new ManualClock();
let telegram: FakeTelegram;
let bot: FakeBot;
let whatsApp: FakeCloudApi;
let gateway: TurnedGateway;
let agentId: string;

beforeAll(async () => {
  telegram = await FakeTelegram.start({ takesHttpWebhooks: true });
  bot = telegram.addBot();
  whatsApp = await FakeCloudApi.start({ nowMs: () => Date.parse(clock.nowIso()) });
  // Statuses that overtake an answer would be handled only when the clock turns.
  whatsApp.statusPlan = [];
  gateway = await TurnedGateway.start(
    {
      ...whatsApp.settings,
      SVC_TELEGRAM_API_URL: telegram.url,
      SVC_TELEGRAM_UPDATES: 'webhook',
      SVC_DM_TIMEOUT_TEXT: 'off',
    },
    clock,
  );
  agentId = (await gateway.settingsApi.get('/api/agents')).body.agents[0].id;
  await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  await waitFor('the webhook', () => bot.webhook);
  await whatsApp.webhook.subscribe(`${gateway.baseUrl}/api/whatsapp/webhook/shared`);
});
afterAll(async () => {
  await gateway?.stop();
  await Promise.all([telegram?.stop(), whatsApp?.stop()]);
  console.log(`\n${table}\n`);
});

const send = (platform: string, text: string, more: object = {}) =>
  gateway.agentApi.post('/api/dm/chat', { platform, text, ...more });

/** Adds a limit to the table, and checks the results on both sides of it. */
function expectSides(
  limit: string,
  [within, inside]: readonly [string, string],
  [beyond, beside]: readonly [string, string],
  told: readonly [string, string],
): void {
  table.add(limit, [within, inside], [beyond, beside]);
  expect([inside, beside], limit).toEqual(told);
}

/** A person on Telegram whose message has come in and is being handled. */
async function writer(id: number, text = 'hello?'): Promise<Person> {
  const person = bot.person({ id, first_name: `Person ${id}` });
  await says(person, text);
  return person;
}

async function says(person: Person, text: string): Promise<void> {
  const { typingShown } = person;
  person.says(text);
  await waitFor('the message to be worked on', () => person.typingShown > typingShown);
}

it('sends the timeout text to a person who got no answer within 60 s', async () => {
  await gateway.settingsApi.patch(`/api/agents/${agentId}`, { timeout_text: LATE_TEXT });
  const eve = await writer(1);
  clock.advance(MINUTE_MS - 1);
  await gateway.settled();
  const early = eve.received.length;
  clock.advance(1);
  await waitFor('the text', () => eve.received.length > early);
  expectSides(
    'DM reply window',
    ['59.999 s', `${early} messages`],
    ['60 s', eve.received.map(({ text }) => text).join()],
    ['0 messages', LATE_TEXT],
  );

  await says(eve, 'still there?');
  clock.advance(MINUTE_MS - 1);
  expect((await send('telegram', 'yes')).status).toBe(200);
  clock.advance(MINUTE_MS);
  await gateway.settled();
  expect(eve.received.map(({ text }) => text)).toEqual([LATE_TEXT, 'yes']);
  await gateway.settingsApi.patch(`/api/agents/${agentId}`, { timeout_text: '' });
});

it('shows typing for 65 s after the last request', async () => {
  const tim = await writer(2);
  await send('telegram', 'hello');
  const ask = () => gateway.agentApi.post('/api/dm/typing', { platform: 'telegram' });
  /** While Telegram has not answered, nothing more is asked of it. */
  const shown = async (times: number) => {
    await waitFor(`it to be shown ${times} times`, () => tim.typingShown === times);
    await gateway.settled();
  };
  /** How often typing is shown within 68 s (every 4 s) when requested at once and again a little later. */
  const shownWhen = async (askedAgainMs: number): Promise<number> => {
    const before = tim.typingShown;
    let atMs = 0;
    const turnTo = (ms: number) => {
      clock.advance(ms - atMs);
      atMs = ms;
    };
    await ask();
    await shown(before + 1);
    turnTo(askedAgainMs);
    await ask();
    for (let s = 4; s <= 64; s += 4) {
      turnTo(s * SECOND_MS);
      await shown(before + 1 + s / 4);
    }
    turnTo(68 * SECOND_MS);
    await gateway.settled();
    const times = tim.typingShown - before;
    turnTo(140 * SECOND_MS);
    await gateway.settled();
    return times;
  };
  const [within, beyond] = [await shownWhen(3_001), await shownWhen(3_000)];
  expectSides(
    'typing indicator',
    ['64.999 s', `shown ${within} times`],
    ['65 s', `shown ${beyond} times`],
    ['shown 18 times', 'shown 17 times'],
  );
});

it('accepts a wait of 0 to 120 s, and answers after 55 s at the latest', async () => {
  const { cursor } = (await gateway.agentApi.get('/api/inbox')).body;
  const ask = (wait: number) =>
    gateway.agentApi.get(`/api/inbox?wait=${wait}&last_message_cursor=${encodeURIComponent(cursor)}`);
  const waiting = async () => {
    const { body } = await gateway.api(null).get('/metrics');
    return /^svc_inbox_waiters (\d+)$/m.exec(body)?.[1];
  };
  const patient = ask(120);
  await waitFor('it to wait', async () => (await waiting()) === '1');
  clock.advance(55 * SECOND_MS - 1);
  await gateway.settled();
  const early = await waiting();
  // Deadlines of long polls have a resolution of a tenth of a second.
  clock.advance(101);
  const late = inWords(await patient);
  expectSides(
    'inbox long-poll, cap',
    ['54.999 s', `${early} waits`],
    ['55 s', `${late}, ${await waiting()} waits`],
    ['1 waits', '200, 0 waits'],
  );
  expectSides(
    'inbox long-poll, wait',
    ['120 (and 0)', [late, inWords(await ask(0))].join()],
    ['121 (and -1)', [inWords(await ask(121)), inWords(await ask(-1))].join()],
    [
      '200,200',
      '422 Input should be less than or equal to 120,422 Input should be greater than or equal to 0',
    ],
  );
});

it('ends a probe of agents after 30 s', async () => {
  await gateway.settingsApi.post('/api/keys/test-agent/start');
  const done = async () =>
    `done: ${(await gateway.settingsApi.get('/api/keys/test-agent/status')).body.done}`;
  clock.advance(30 * SECOND_MS - 1);
  const within = await done();
  clock.advance(1);
  expectSides(
    'test-agent probe',
    ['29.999 s', within],
    ['30 s', await done()],
    ['done: false', 'done: true'],
  );
});

let phones = 15_551_230_010;

/** A new person on WhatsApp who writes this text, and the result. */
async function follows(text: string, name: string): Promise<{ person: WhatsAppPerson; came: string }> {
  phones += 1;
  const person = whatsApp.addPerson({ name, phone: `${phones}` });
  expect((await whatsApp.says(person, text)).status).toBe(200);
  const isKnown = async () => JSON.stringify((await gateway.agentApi.get('/api/inbox')).body).includes(name);
  const came = await waitFor('what comes of it', async () => {
    if (await isKnown()) return 'connected';
    return person.texts.length > 0 && 'told to ask for a link';
  });
  return { person, came };
}

/** The text that a fresh invite link has ready to be sent. */
async function invitation(): Promise<string> {
  const href = await waitFor('the link', async () => {
    const { body } = await gateway.settingsApi.post('/api/invite-link');
    return body.whatsapp_url as string | null;
  });
  return new URL(href).searchParams.get('text')!;
}

it('accepts an invite link for 15 minutes, once, and only the newest', async () => {
  const [fresh, first] = [await invitation(), await invitation()];
  clock.advance(15 * MINUTE_MS - 1);
  const former = await follows(fresh, 'Of The Former');
  const within = await follows(first, 'In Time');
  const again = await follows(first, 'The Second');
  const second = await invitation();
  clock.advance(15 * MINUTE_MS);
  const beyond = await follows(second, 'Too Late');
  const told = ['connected', 'told to ask for a link'] as const;
  expectSides('invite link', ['14:59.999 min', within.came], ['15 min', beyond.came], told);
  expectSides('invite link, uses', ['1', within.came], ['2', again.came], told);
  expectSides('invite link, of two', ['the newer', within.came], ['the former', former.came], told);
});

/** WhatsApp gives times in whole seconds. */
function toWholeSecond(): void {
  clock.advance(SECOND_MS - (Date.parse(clock.nowIso()) % SECOND_MS));
}

it('sends on WhatsApp for 24 h after the last message, and queues later ones for 7 days', async () => {
  const { person: ada } = await follows(await invitation(), 'Ada of WhatsApp');
  toWholeSecond();
  await whatsApp.says(ada, 'hello');
  clock.leap(DAY_MS - 1);
  const within = await send('whatsapp', 'in time');
  clock.advance(1);
  const beyond = await send('whatsapp', 'old');
  expectSides(
    'whatsapp service window',
    ['23:59:59.999 h', inWords(within)],
    ['24 h', inWords(beyond)],
    ['200', '202 outside_24h_window'],
  );
  expect([ada.texts, ada.templates]).toEqual([['in time'], ['old']]);

  clock.advance(1);
  expect(inWords(await send('whatsapp', 'young'))).toBe('202 outside_24h_window');
  clock.leap(7 * DAY_MS - 1);
  // The younger one has a millisecond left.
  await whatsApp.says(ada, 'at last');
  await waitFor('it', () => ada.texts.includes('young'));
  const statusOf = async (wanted: string) => {
    const { conversations } = (await gateway.agentApi.get('/api/inbox?platform=whatsapp')).body;
    return conversations[0].messages.find(({ text }: { text: string }) => text === wanted).status;
  };
  await waitFor('the other one', async () => (await statusOf('old')) === 'dropped');
  await gateway.settled();
  expectSides(
    'whatsapp pending messages',
    ['6 d 23:59:59.999 h', await statusOf('young')],
    ['7 d', await statusOf('old')],
    ['delivered', 'dropped'],
  );
  expect(ada.texts).toEqual(['in time', 'young']);
});

it('replays the answer to an idempotency key for 24 h', async () => {
  const make = async () => {
    const { body } = await gateway.request(`${gateway.baseUrl}/api/agents`, {
      method: 'POST',
      headers: { 'X-API-Key': gateway.settingsKey, 'Idempotency-Key': 'once' },
      body: JSON.stringify({ name: 'Made once' }),
    });
    return body.id as string;
  };
  const first = await make();
  clock.leap(DAY_MS - 1);
  const again = await make();
  clock.advance(1);
  const later = await make();
  const what = (id: string) => (id === first ? 'the same agent' : 'another agent');
  expectSides(
    'Idempotency-Key',
    ['23:59:59.999 h', what(again)],
    ['24 h', what(later)],
    ['the same agent', 'another agent'],
  );
});

it('serves an upload for 24 h', async () => {
  const { file_id, url } = (await gateway.upload(Buffer.from('kept'))).body;
  await gateway.settingsApi.post('/api/agents', { name: 'Second' });
  const attach = () => send('agent', 'a file', { peer: 'Second', attachments: [{ file_id }] });
  clock.leap(DAY_MS - 1);
  const within: [Answer, Answer] = [await gateway.request(url), await attach()];
  expect(within[0].body).toEqual({ length: 4 });
  clock.advance(1);
  const beyond: [Answer, Answer] = [await gateway.request(url), await attach()];
  const sides = [
    ['upload, served', UNKNOWN_TOKEN],
    ['upload, attached', UNKNOWN_TOKEN],
  ] as const;
  for (const [at, [limit, refusal]] of sides.entries())
    expectSides(
      limit,
      ['23:59:59.999 h', inWords(within[at]!)],
      ['24 h', inWords(beyond[at]!)],
      ['200', refusal],
    );
});

it('accepts an upload to a reserved slot for 5 minutes, once', async () => {
  const slot = async () =>
    (await gateway.agentApi.post('/api/files/reserve', { name: 'a', mime: 'a/b' })).body.upload_url as string;
  const [one, other] = [await slot(), await slot()];
  clock.advance(5 * MINUTE_MS - 1);
  const fill = async (url: string) => inWords(await gateway.upload(Buffer.from('x'), url));
  const [within, again] = [await fill(one), await fill(one)];
  clock.advance(1);
  const beyond = await fill(other);
  expectSides('upload slot', ['4:59.999 min', within], ['5 min', beyond], ['200', UNKNOWN_TOKEN]);
  expectSides('upload slot, uses', ['1', within], ['2', again], ['200', UNKNOWN_TOKEN]);
});

it('lists received files for 30 days, and caches their bytes for 15 minutes', async () => {
  const sender = bot.person({ id: 3, first_name: 'Sender' });
  sender.sends('document', { name: 'sent.bin', mime: 'application/x-test', bytes: Buffer.from('sent') });
  const attachments = async () => {
    const { body } = await gateway.agentApi.get('/api/inbox?platform=telegram&peer=3');
    return body.conversations?.[0].messages[0].attachments ?? [];
  };
  const url = await waitFor('the file', async () => (await attachments())[0]?.url as string | undefined);
  const fetched = () => telegram.calls.filter(({ method }) => method.toLowerCase() === 'getfile').length;
  const before = fetched();
  const read = async () => {
    expect(await gateway.request(url)).toMatchObject({ status: 200, body: { length: 4 } });
    return `fetched ${fetched() - before} times`;
  };
  await read();
  clock.advance(15 * MINUTE_MS - 1);
  const within = await read();
  clock.advance(1);
  expectSides(
    'hot cache',
    ['14:59.999 min', within],
    ['15 min', await read()],
    ['fetched 1 times', 'fetched 2 times'],
  );

  clock.leap(30 * DAY_MS - 15 * MINUTE_MS - 1);
  const listed = async () => `${inWords(await gateway.request(url))}, ${(await attachments()).length} listed`;
  const early = await listed();
  clock.advance(1);
  const late = inWords(await gateway.request(url));
  // Expired files are removed every minute.
  clock.advance(MINUTE_MS);
  await waitFor('the list', async () => (await attachments()).length === 0);
  expectSides(
    'file that somebody sent',
    ['29 d 23:59:59.999 h', early],
    ['30 d', `${late}, ${(await attachments()).length} listed`],
    ['200, 1 listed', `${UNKNOWN_TOKEN}, 0 listed`],
  );
});
