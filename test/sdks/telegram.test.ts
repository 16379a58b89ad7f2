import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Bot, GrammyError, InputFile, InputMediaBuilder, webhookCallback } from 'grammy';
import { expect, onTestFinished, test } from 'vitest';
import { FakeTelegram, type FakeTelegramOptions } from '../fakes/telegram/fake-telegram.ts';
import type { AnyJson } from '../support/any-json.ts';
import { waitFor } from '../support/wait-for.ts';

const JPEG = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(2_000, 7)]);

/** A bot written with grammY, on the fake. */
async function grammyBot(options: FakeTelegramOptions = {}) {
  const fake = await FakeTelegram.start(options);
  onTestFinished(() => fake.stop());
  const known = fake.addBot('grammy_bot');
  const bot = new Bot(known.token, { client: { apiRoot: fake.url } });
  return { fake, known, bot, ada: known.person({ id: 42, first_name: 'Ada' }) };
}

test('grammY polls, answers, and stops', async () => {
  const { fake, bot, ada, known } = await grammyBot();
  bot.on('message:text', (context) => context.reply(`you said ${context.msg.text}`));
  bot.on('edited_message:text', (context) => context.reply(`now ${context.msg.text}`));
  bot.on('message:photo', async (context) => {
    const { file_path: path } = await context.getFile();
    const file = await fetch(`${fake.url}/file/bot${known.token}/${path}`);
    await context.reply(`${(await file.arrayBuffer()).byteLength} bytes`);
  });
  const running = bot.start();
  ada.edits(ada.says('one'), 'two');
  ada.sends('photo', { name: 'p.jpg', mime: 'image/jpeg', bytes: JPEG });
  await waitFor('three answers', () => ada.received.length === 3);
  expect(ada.received.map(({ text }) => text)).toEqual(['you said one', 'now two', '2004 bytes']);
  expect(bot.botInfo.username).toBe('grammy_bot');
  await bot.stop();
  await running;
  expect(known.updates.pending).toEqual([]);
  expect(fake.offences).toEqual([]);
});

test('grammY uploads files of every kind, and albums', async () => {
  const { fake, bot, ada, known } = await grammyBot();
  ada.says('hello');
  const file = (name: string) => new InputFile(JPEG, name);
  const { api } = bot;
  await api.sendPhoto(42, file('p.jpg'), { caption: 'a photo' });
  await api.sendDocument(42, file('d.pdf'));
  await api.sendVoice(42, file('v.ogg'));
  await api.sendAudio(42, file('a.mp3'));
  await api.sendVideo(42, file('v.mp4'));
  await api.sendAnimation(42, file('a.gif'));
  const album = await api.sendMediaGroup(42, [
    InputMediaBuilder.photo(file('1.jpg'), { caption: 'first' }),
    InputMediaBuilder.photo(file('2.jpg')),
  ]);
  expect(album).toHaveLength(2);
  await api.sendChatAction(42, 'typing');
  expect(ada.typingShown).toBe(1);
  expect(ada.received).toHaveLength(8);
  const { document } = ada.received[1] as { document?: { file_id: string; file_name: string } };
  expect(document).toMatchObject({ file_name: 'd.pdf', file_size: JPEG.length });
  expect(known.files.at(known.files.prepare(document!.file_id).file_path)).toEqual(JPEG);
  expect(fake.offences).toEqual([]);
});

test('grammY understands the errors', async () => {
  const { fake, bot, ada } = await grammyBot();
  const refusal = async (asked: Promise<unknown>): Promise<GrammyError> => {
    const error = await asked.then(() => null).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(GrammyError);
    return error as GrammyError;
  };
  expect((await refusal(bot.api.sendMessage(42, 'x'))).description).toBe('Bad Request: chat not found');
  ada.says('hello');
  ada.blocks();
  expect(await refusal(bot.api.sendMessage(42, 'x'))).toMatchObject({
    error_code: 403,
    description: 'Forbidden: bot was blocked by the user',
  });
  ada.unblocks();
  expect((await refusal(bot.api.sendMessage(42, 'a'.repeat(4_097)))).error_code).toBe(400);
  fake.fail('sendMessage', { kind: 'throttle', retryAfterS: 9 });
  expect((await refusal(bot.api.sendMessage(42, 'x'))).parameters.retry_after).toBe(9);
  const stranger = new Bot('123456:unknown', { client: { apiRoot: fake.url } });
  expect((await refusal(stranger.api.getMe())).error_code).toBe(401);
  expect(fake.offences).toEqual([]);
});

test('grammY receives a webhook, with its secret', async () => {
  const { bot, ada, known, fake } = await grammyBot({ takesHttpWebhooks: true, webhookRetryMs: 20 });
  bot.on('message:text', (context) => context.reply(`you said ${context.msg.text}`));
  await bot.init();
  const server = createServer(webhookCallback(bot, 'http', { secretToken: 'right-secret' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await bot.api.setWebhook(url, { secret_token: 'wrong-secret' });
  ada.says('hello');
  await waitFor('a refusal', async () =>
    (await bot.api.getWebhookInfo()).last_error_message?.includes('401'),
  );
  await expect(bot.api.getUpdates()).rejects.toThrow(/webhook is active/);
  await bot.api.setWebhook(url, { secret_token: 'right-secret' });
  await waitFor('the answer', () => ada.received.length === 1);
  await bot.api.deleteWebhook();
  expect((await bot.api.getWebhookInfo()).url).toBe('');
  expect(known.updates.pending).toEqual([]);
  expect(fake.offences).toEqual([]);
});

test.each<[string, string, Record<string, unknown>]>([
  ['an unknown method', 'sendTelepathy', {}],
  ['an unknown field', 'sendMessage', { chat_id: 42, text: 'x', colour: 'red' }],
  ['a missing field', 'sendMessage', { chat_id: 42 }],
  [
    'a field of another type',
    'sendMessage',
    { chat_id: 42, text: 'x', entities: [{ type: 'bald', offset: 0, length: 1 }] },
  ],
  ['an unknown action', 'sendChatAction', { chat_id: 42, action: 'sleep' }],
  [
    'an album of incompatible kinds',
    'sendMediaGroup',
    {
      chat_id: 42,
      media: [
        { type: 'audio', media: 'x' },
        { type: 'photo', media: 'x' },
      ],
    },
  ],
  ['a field for a method without any', 'getMe', { chat_id: 42 }],
])('%s is refused and recorded', async (_what, method, parameters) => {
  const { fake, known, ada } = await grammyBot();
  ada.says('hello');
  const { status } = await fetch(`${fake.url}/bot${known.token}/${method}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  expect([400, 404]).toContain(status);
  expect(fake.offences).toHaveLength(1);
});

test('people can be controlled from outside', async () => {
  const { fake } = await grammyBot();
  const ask = async (path: string, body: unknown) => {
    const answer = await fetch(`${fake.url}/fake/${path}`, { method: 'POST', body: JSON.stringify(body) });
    return { status: answer.status, body: (await answer.json()) as AnyJson };
  };
  const { token, username } = (await ask('bots', {})).body;
  const who = { bot: username, from: { id: 7 } };
  await ask('messages', {
    ...who,
    text: 'hello',
    file: { kind: 'photo', name: 'p', mime: 'image/jpeg', base64: '/9j/' },
  });
  const { api } = new Bot(token, { client: { apiRoot: fake.url } });
  const [update] = await api.getUpdates();
  expect(update!.message).toMatchObject({ caption: 'hello', from: { id: 7 } });
  await api.sendMessage(7, 'hi');
  expect((await ask('received', who)).body.messages).toMatchObject([{ text: 'hi' }]);
  await ask('block', who);
  await expect(api.sendMessage(7, 'x')).rejects.toThrow(/blocked/);
  expect((await ask('received', { ...who, bot: 'nobody' })).status).toBe(404);
  expect((await ask('nonsense', who)).status).toBe(404);
});
