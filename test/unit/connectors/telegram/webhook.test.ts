import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import type { Connector } from '../../../../src/connectors/contract/connector.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { bodyOfReply, WEBHOOK } from '../../../support/webhook.ts';
import { BOT_ID, connectorTo, formFile, telegram } from './telegram-setup.ts';

const SECRET_HEADER = 'x-telegram-bot-api-secret-token';

/** A server like the gateway's: the last part of the path is the login. */
async function startServer(connector: () => Connector) {
  const statuses: number[] = [];
  const server = createServer((request, response) => {
    void (async () => {
      const reply = await connector().provides.webhooks!.webhook({
        ...WEBHOOK,
        method: 'post',
        loginKey: request.url!.split('/').at(-1)!,
        header: (name) => `${request.headers[name] ?? ''}`,
        body: await buffer(request),
      });
      statuses.push(reply.status);
      response.writeHead(reply.status).end(bodyOfReply(reply));
    })();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`, statuses };
}

async function hooked() {
  const { fake, bot } = await telegram({ takesHttpWebhooks: true, webhookRetryMs: 20 });
  const { url, statuses } = await startServer(() => setup.connector);
  const setup = connectorTo(fake, { webhookRoot: () => url });
  await setup.connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  await waitFor('the webhook', () => bot.webhook !== null);
  const ask = (loginKey: string, secret: string, body: string) =>
    setup.connector.provides.webhooks!.webhook({
      ...WEBHOOK,
      method: 'post',
      loginKey,
      header: (name) => (name === SECRET_HEADER ? secret : ''),
      body: Buffer.from(body),
    });
  return { fake, bot, url, statuses, ask, ...setup };
}

test('updates are delivered in order, and acknowledged when they are stored', async () => {
  const { bot, url, intake, statuses } = await hooked();
  expect(bot.webhook!.target.url).toBe(`${url}/${BOT_ID}`);
  const ada = bot.person();
  intake.failures = 2;
  ada.says('one');
  ada.says('two');
  await waitFor('both', () => intake.messages.length === 2);
  expect(intake.texts).toEqual(['one', 'two']);
  await waitFor('the answers', () => statuses.length === 4);
  expect(statuses).toEqual([503, 503, 200, 200]);
});

test('an album is one message with all its files', async () => {
  const { bot, intake, records, clock } = await hooked();
  const ada = bot.person();
  const pictures = (count: number) => Array.from({ length: count }, (_, n) => formFile(`${n}`, 'image/jpeg'));
  const parts = ada.sendsAlbum(pictures(3), 'three of them');
  await waitFor('all parts', () => bot.updates.pending.length === 0);
  clock.turn(1_000);
  await waitFor('the album', () => intake.messages.length === 1);
  ada.sendsAlbum(pictures(2), 'two more');
  ada.says('after');
  await waitFor('the text behind it', () => intake.texts.includes('after'));
  expect(intake.texts).toEqual(['three of them', 'two more', 'after']);
  expect(intake.messages.map(({ files }) => files.length)).toEqual([3, 2, 0]);
  expect(intake.messages[0]!.platformMessageId).toBe(`${parts[0]!.message_id}`);
  await waitFor('no record', () => records.kept.size === 0);
});

test('removing a bot deletes its records', async () => {
  const { bot, connector, records } = await hooked();
  bot.person().sendsAlbum([formFile('1', 'image/jpeg'), formFile('2', 'image/jpeg')], '');
  await waitFor('both', () => bot.updates.pending.length === 0);
  await connector.provides.bots!.removeBot(BOT_ID);
  expect(records.kept.size).toBe(0);
});

test('only requests of Telegram are accepted, and only readable ones', async () => {
  const { bot, ask, intake, counts } = await hooked();
  const secret = bot.webhook!.target.secretToken!;
  const update = JSON.stringify({ update_id: 1, message: { message_id: 1, date: 1, chat: {}, text: 'x' } });
  const status = async (...asked: Parameters<typeof ask>) => (await ask(...asked)).status;
  expect(await status('bot_other', secret, update)).toBe(404);
  expect(await status(BOT_ID, '', update)).toBe(401);
  expect(await status(BOT_ID, `${secret.slice(1)}A`, update)).toBe(401);
  expect(await status(BOT_ID, secret, '{')).toBe(400);
  expect(await status(BOT_ID, secret, 'null')).toBe(400);
  expect(await status(BOT_ID, secret, '{"update_id":"1"}')).toBe(400);
  expect(await status(BOT_ID, secret, '{"update_id":1,"message":5}')).toBe(200);
  expect([intake.told, counts.get('webhook_refused')]).toEqual([0, 2]);
});

test('the webhook stays when the gateway stops, so that Telegram keeps new updates', async () => {
  const { bot, connector, intake } = await hooked();
  await connector.close(0);
  expect(bot.webhook).not.toBeNull();
  expect(intake.messages).toEqual([]);
});

test('a polling gateway has no webhook', async () => {
  const { fake, bot } = await telegram();
  const { connector } = connectorTo(fake);
  await connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  const request = {
    ...WEBHOOK,
    method: 'post',
    loginKey: BOT_ID,
    header: () => '',
    body: Buffer.from('{}'),
  } as const;
  expect((await connector.provides.webhooks!.webhook(request)).status).toBe(404);
});
