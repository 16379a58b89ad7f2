import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/telegram/fake-bot.ts';
import type { FakePerson } from '../fakes/telegram/fake-person.ts';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { OUTSIDE } from '../support/hostile-urls.ts';
import { waitFor } from '../support/wait-for.ts';

const PHOTO = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2_000, 7)]);

let telegram: FakeTelegram;
let bot: FakeBot;
let ada: FakePerson;
let outside: Server;
let gateway: Gateway;

beforeAll(async () => {
  outside = createServer((request, response) => {
    if (request.url === '/notes.txt')
      response.writeHead(200, { 'Content-Type': 'text/plain' }).end('from afar');
    else response.writeHead(404).end();
  });
  outside.listen(0, OUTSIDE);
  await once(outside, 'listening');
  telegram = await FakeTelegram.start();
  bot = telegram.addBot();
  ada = bot.person();
  gateway = await Gateway.start({
    env: { SVC_TELEGRAM_API_URL: telegram.url, SVC_FILES_FETCH_ALLOW: OUTSIDE },
  });
  gateway.secrets.add(bot.token);
  const registering = { platform: 'telegram', bot_token: bot.token };
  expect((await gateway.settingsApi.post('/api/bot-tokens', registering)).status).toBeLessThan(300);
  ada.says('hello');
  await waitFor('the first message', async () => (await messages()).length > 0);
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
  outside?.close();
});

const urlOutside = (path: string) => `http://${OUTSIDE}:${(outside.address() as AddressInfo).port}${path}`;

/** The history with Ada, oldest first. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs and asserts on them
async function messages(): Promise<any[]> {
  const { body } = await gateway.agentApi.get('/api/inbox?platform=telegram');
  return body.conversations?.[0]?.messages ?? [];
}

const send = (body: object) => gateway.agentApi.post('/api/dm/chat', { platform: 'telegram', ...body });

/** Resolves once a `dm_sent` event reports the message. */
async function ended({ body: { message_id } }: Awaited<ReturnType<typeof send>>): Promise<void> {
  await waitFor('dm_sent', async () => {
    const { body } = await gateway.agentApi.get('/api/inbox?last_message_cursor=2020-01-01');
    return body.events?.some((event: object) =>
      expect.objectContaining({ type: 'dm_sent', message_id }).asymmetricMatch(event),
    );
  });
}

async function uploaded(bytes: Buffer, name: string) {
  const form = new FormData();
  form.append('file', new Blob([bytes]), name);
  const headers = { 'X-API-Key': gateway.agentKey };
  const answer = await fetch(`${gateway.baseUrl}/api/files`, { method: 'POST', headers, body: form });
  return (await answer.json()) as { file_id: string };
}

/** The bytes of documents as Ada has received them. */
function documentsOf(received: FakePerson['received']): string[] {
  return received.map(({ document }) => {
    const { file_path } = bot.files.prepare((document as { file_id: string }).file_id);
    return bot.files.at(file_path)!.toString('latin1');
  });
}

it('accepts attachments by file id, URL and base64, and shows them in the inbox', async () => {
  const bytes = randomBytes(3_000_000);
  const { file_id } = await uploaded(bytes, 'random.bin');
  const before = ada.received.length;
  const answer = await send({
    text: 'three files',
    attachments: [
      { file_id },
      { url: urlOutside('/notes.txt') },
      { bytes_b64: Buffer.from('inline').toString('base64'), name: 'i.txt', mime: 'text/plain' },
    ],
  });
  expect(answer).toMatchObject({ status: 202, body: { status: 'queued', reason: 'still_sending' } });
  await ended(answer);
  const received = ada.received.slice(before);
  expect(documentsOf(received)).toEqual([bytes.toString('latin1'), 'from afar', 'inline']);
  expect(received.map(({ caption }) => caption)).toContain('three files');

  const { attachments } = (await messages()).find(({ text }) => text === 'three files');
  expect(attachments).toMatchObject([
    { name: 'random.bin', mime: 'application/octet-stream', size: 3_000_000 },
    { name: 'notes.txt', mime: 'text/plain', size: 9 },
    { name: 'i.txt', mime: 'text/plain', size: 6 },
  ]);
  expect(await (await fetch(attachments[1].url)).text()).toBe('from afar');
});

it('sends nothing when an attachment comes from inside, or cannot be had', async () => {
  const wrong: [unknown, number, string][] = [
    [{ file_id: 'f_nothing' }, 404, 'Unknown file token'],
    [{ url: `${gateway.baseUrl}/metrics` }, 400, 'Invalid URL / SSRF blocked'],
    [{ url: urlOutside('/missing') }, 502, 'The URL could not be fetched'],
  ];
  const before = [ada.received.length, (await messages()).length];
  for (const [attachment, status, detail] of wrong) {
    expect(await send({ text: 'never sent', attachments: [attachment] })).toMatchObject({
      status,
      body: { detail },
    });
  }
  expect([ada.received.length, (await messages()).length]).toEqual(before);
});

it('forwards a received file by its URL in the inbox, and answers 410 once Telegram has lost it', async () => {
  const bytes = Buffer.from('pass it on');
  ada.sends('document', { name: 'pass.bin', mime: 'application/x-test', bytes });
  const { document } = ada.sends('document', { name: 'lost.bin', mime: 'application/x-test', bytes: PHOTO });
  const urlOf = (wanted: string) =>
    waitFor(wanted, async () => {
      const all = (await messages()).flatMap(({ attachments }) => attachments);
      return all.find(({ name }) => name === wanted)?.url as string | undefined;
    });
  const [url, lost] = [await urlOf('pass.bin'), await urlOf('lost.bin')];
  const before = ada.received.length;
  await ended(await send({ text: 'yours', attachments: [{ url }] }));
  expect(documentsOf(ada.received.slice(before))).toEqual(['pass it on']);

  bot.files.forget((document as { file_id: string }).file_id);
  const refused = await fetch(lost);
  expect([refused.status, await refused.json()]).toEqual([410, { detail: 'Gone', code: 'file_gone' }]);
});
