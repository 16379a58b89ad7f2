import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

/** Kills of the gateway while messages come in. */
const KILLS = 12;
const MESSAGES_PER_LIFE = 40;

let telegram: FakeTelegram;
let gateway: Gateway;
let bot: FakeBot;

beforeAll(async () => {
  telegram = await FakeTelegram.start();
  bot = telegram.addBot();
  gateway = await Gateway.start({
    env: { SVC_TELEGRAM_API_URL: telegram.url },
  });
  gateway.secrets.add(bot.token);
  const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  expect(status, JSON.stringify(body)).toBeLessThan(300);
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
});

const cursorNow = async () => encodeURIComponent((await gateway.agentApi.get('/api/inbox')).body.cursor);

const messagesIn = (body: AnyJson) => body.conversations.flatMap(({ messages }: AnyJson) => messages);

it('delivers a message and its file to a waiting request, and the message to the WebSocket', async () => {
  const url = `${gateway.baseUrl.replace('http', 'ws')}/api/inbox/stream?api_key=${gateway.agentKey}`;
  const socket = new WebSocket(url);
  const frames: AnyJson[] = [];
  socket.on('message', (data) => frames.push(JSON.parse(`${data}`)));
  await waitFor('the first frame', () => frames.length > 0);

  const waiting = gateway.agentApi.get(`/api/inbox?wait=10&last_message_cursor=${await cursorNow()}`);
  await waitFor('the request to wait', async () => (await gateway.metric('svc_inbox_waiters')) === 1);
  const bytes = Buffer.from('what is in the file');
  const file = { name: 'note.txt', mime: 'text/plain', bytes };
  bot.person({ id: 42, first_name: 'Ada' }).sends('document', file, { caption: 'look' });
  const [message] = messagesIn((await waiting).body);
  expect(message).toMatchObject({
    text: 'look',
    direction: 'inbound',
    attachments: [{ name: 'note.txt', size: bytes.length, url: expect.stringContaining('/api/files/') }],
  });
  expect(await (await fetch(message.attachments[0].url)).text()).toBe('what is in the file');

  const told = await waitFor('the event', () => frames.find(({ type }) => type === 'dm_chat'));
  expect(told).toMatchObject({
    platform: 'telegram',
    peer: { remote_id: '42' },
    message: { id: message.id },
  });
  socket.terminate();
});

it('loses and repeats no message, however often the gateway is killed', async () => {
  const people = Array.from({ length: 5 }, (_, n) => bot.person({ id: 100 + n, first_name: `P${n}` }));
  let cursor = await cursorNow();
  const heard: string[] = [];
  const said: string[] = [];
  /** As an agent does it: from each answer's cursor on. */
  const hear = async () => {
    const { body } = await gateway.agentApi.get(`/api/inbox?limit=7&last_message_cursor=${cursor}`);
    const messages = messagesIn(body);
    for (const { text } of messages) heard.push(text);
    cursor = encodeURIComponent(body.cursor);
    return messages.length;
  };
  for (let life = 0; life < KILLS; life++) {
    for (let n = 0; n < MESSAGES_PER_LIFE; n++) {
      const text = `life ${life} message ${n}`;
      people[n % people.length]!.says(text);
      said.push(text);
      if (n % 10 === life % 10) await hear();
    }
    // Anywhere between the first of them and the last.
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 60));
    await gateway.killHard();
    await gateway.restart();
  }
  await waitFor('all that was said', async () => {
    while ((await hear()) > 0);
    return heard.length >= said.length;
  });
  expect([...heard].sort()).toEqual([...said].sort());
  // Each person's messages are in the order in which they were said.
  const order = new Map(said.map((text, at) => [text, at]));
  const detail = await gateway.agentApi.get('/api/inbox?platform=telegram&peer=100&limit=200');
  const places = messagesIn(detail.body).map(({ text }: { text: string }) => order.get(text));
  expect(places).toEqual([...places].sort((a, b) => a - b));
  expect(telegram.offences).toEqual([]);
}, 180_000);
