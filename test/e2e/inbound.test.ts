import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import type { AnyJson } from '../support/any-json.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

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
