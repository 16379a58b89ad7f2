import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeTelegram } from '../fakes/telegram/fake-telegram.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(1_000, 7)]);

let telegram: FakeTelegram;
let gateway: Gateway;

beforeAll(async () => {
  telegram = await FakeTelegram.start({ takesHttpWebhooks: true, webhookRetryMs: 50 });
  gateway = await Gateway.start({
    env: { SVC_TELEGRAM_API_URL: telegram.url, SVC_TELEGRAM_UPDATES: 'webhook' },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await telegram?.stop();
  expect(telegram.offences).toEqual([]);
});

const inboxTexts = async () => JSON.stringify((await gateway.agentApi.get('/api/inbox')).body.conversations);

it('receives updates by webhook, including those sent while the gateway was down', async () => {
  const bot = telegram.addBot();
  gateway.secrets.add(bot.token);
  const { body } = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'telegram',
    bot_token: bot.token,
  });
  expect(body.status).toBe('ok');
  await waitFor('the webhook', () => bot.webhook);
  expect(bot.webhook!.target.url).toBe(`${gateway.baseUrl}/api/telegram/webhook/${body.id}`);
  const ada = bot.person();
  ada.says('one');
  await waitFor('the first', async () => (await inboxTexts()).includes('one'));
  await gateway.killHard();
  ada.says('two');
  await gateway.restart();
  await waitFor('the second', async () => (await inboxTexts()).includes('two'));
  // The message is stored before its update is confirmed.
  await waitFor('the confirmation', () => bot.updates.pending.length === 0);

  const strange = await fetch(bot.webhook!.target.url, { method: 'POST', body: '{"update_id":1}' });
  expect([strange.status, await strange.json()]).toEqual([
    401,
    { detail: 'Wrong secret', code: 'webhook_not_signed' },
  ]);
  const nobody = await gateway.api(null).post('/api/telegram/webhook/nobody', {});
  expect([nobody.status, nobody.body]).toEqual([404, { detail: 'No such login', code: 'webhook_unknown' }]);
});

it('combines an album into one message, even when killed between the parts', async () => {
  const bot = telegram.addBot();
  gateway.secrets.add(bot.token);
  await gateway.settingsApi.post('/api/bot-tokens', { platform: 'telegram', bot_token: bot.token });
  await waitFor('the webhook', () => bot.webhook);
  const picture = { name: 'p', mime: 'image/jpeg', bytes: JPEG };
  bot.person({ id: 77, first_name: 'Eve' }).sendsAlbum([picture, picture, picture], 'look');
  await waitFor('the first part', () => bot.updates.pending.length < 3);
  await gateway.killHard();
  await gateway.restart();
  const messages = await waitFor('all of it', async () => {
    const { body } = await gateway.agentApi.get('/api/inbox?platform=telegram&peer=77');
    return bot.updates.pending.length === 0 && body.conversations?.[0].messages;
  });
  const shown = messages.map(({ text, attachments }: { text: string; attachments: unknown[] }) => [
    text,
    attachments.length,
  ]);
  expect(shown).toEqual([['look', 3]]);
});
