import { expect, test } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { GatewayError } from '../../../../src/base/errors.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { MemoryIntake } from './memory-intake.ts';
import { afterPauses, BOT_ID, connectorTo, formFile, LOGIN, ownBot, telegram } from './telegram-setup.ts';

test('messages are delivered in order, with sender and time', async () => {
  const { bot, intake } = await ownBot();
  const ada = bot.person({ id: 42, first_name: 'Ada', username: 'ada' });
  const bob = bot.person({ id: 43, first_name: 'Bob' });
  const first = ada.says('one');
  bob.says('two');
  ada.sends('document', formFile('a.pdf', 'application/pdf'), { caption: 'three' });
  ada.says('/start hello');
  await waitFor('four messages', () => intake.messages.length === 4);
  expect(intake.texts).toEqual(['one', 'two', 'three', '/start hello']);
  expect(intake.messages[0]).toEqual({
    from: directAddress(LOGIN, '42'),
    alias: null,
    remoteName: 'Ada',
    senderName: null,
    platformMessageId: String(first.message_id),
    text: 'one',
    sentAt: new Date(first.date * 1_000).toISOString(),
    files: [],
  });
  expect(intake.messages[2]!.files).toMatchObject([
    { name: 'a.pdf', mime: 'application/pdf', sizeBytes: 5_004 },
  ]);
});

test('edits, blocking and unblocking are reported', async () => {
  const { bot, intake } = await ownBot();
  const ada = bot.person({ id: 42, first_name: 'Ada' });
  ada.edits(ada.says('helo'), 'hello');
  ada.blocks();
  ada.unblocks();
  await waitFor('two changes', () => intake.reached.length === 2);
  expect(intake.edits).toEqual([{ remoteId: '42', platformMessageId: '1', text: 'hello' }]);
  expect(intake.reached).toEqual([
    { remoteId: '42', isReachable: false },
    { remoteId: '42', isReachable: true },
  ]);
});

test('an update is confirmed only when it is stored, and earlier ones are not repeated', async () => {
  const { bot, intake, clock, counts } = await ownBot();
  const ada = bot.person();
  ada.says('one');
  await waitFor('the first', () => intake.messages.length === 1);
  intake.failures = 3;
  ada.says('two');
  await waitFor('a failure', () => counts.get('update_failed') === 1);
  ada.says('three');
  await afterPauses(clock, 'all', () => intake.messages.length === 3);
  expect(intake.texts).toEqual(['one', 'two', 'three']);
  expect(counts.get('update_failed')).toBe(3);
  expect(intake.told).toBe(6);
});

test('an update that can never be stored does not block the rest forever', async () => {
  const { bot, intake, clock, counts } = await ownBot();
  const ada = bot.person();
  intake.failures = 20;
  ada.says('cursed');
  await waitFor('a failure', () => counts.get('update_failed') === 1);
  ada.says('blessed');
  await afterPauses(clock, 'the next one', () => intake.messages.length === 1, 5_000);
  expect([intake.texts, counts.get('update_skipped')]).toEqual([['blessed'], 1]);
});

test('a full disk loses nothing: updates are retried until there is room', async () => {
  const { bot, intake, clock, counts } = await ownBot();
  intake.failures = 40;
  intake.failure = new GatewayError('disk_full');
  bot.person().says('precious');
  await afterPauses(clock, 'it', () => intake.messages.length === 1, 15_000);
  expect([intake.texts, counts.get('update_skipped')]).toEqual([['precious'], undefined]);
});

test('a restart continues from the last confirmed update, and drops repeated ones', async () => {
  const { fake, bot } = await telegram();
  const intake = new MemoryIntake();
  const first = connectorTo(fake, { intake });
  await first.connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  const ada = bot.person();
  ada.says('before');
  await waitFor('the first', () => intake.messages.length === 1);
  await first.connector.close(0);
  ada.says('meanwhile');
  const second = connectorTo(fake, { intake });
  await second.connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  ada.says('after');
  await waitFor('all', () => intake.messages.length === 3);
  expect(intake.texts).toEqual(['before', 'meanwhile', 'after']);
});

test('an album is one message with all its files', async () => {
  const { bot, intake, clock } = await ownBot();
  const ada = bot.person();
  const parts = ada.sendsAlbum(
    [1, 2, 3].map((n) => formFile(`${n}`, 'image/jpeg')),
    'three of them',
  );
  await afterPauses(clock, 'the album', () => intake.messages.length > 0);
  ada.says('after');
  await waitFor('the text behind it', () => intake.texts.includes('after'));
  expect(intake.texts).toEqual(['three of them', 'after']);
  expect(intake.messages[0]).toMatchObject({ platformMessageId: String(parts[0]!.message_id) });
  expect(intake.messages[0]!.files).toHaveLength(3);
});

test('two gateways with one bot both report it, and one continues when the other is gone', async () => {
  const { fake, bot } = await telegram();
  const intake = new MemoryIntake();
  const one = connectorTo(fake, { intake });
  const other = connectorTo(fake, { intake });
  await one.connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  await other.connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  const conflict = ({ status }: { status: string }) =>
    status.includes('terminated by other getUpdates request');
  await waitFor('a conflict', () => one.states.some(conflict));
  await one.connector.close(0);
  bot.person().says('still there?');
  await afterPauses(other.clock, 'the message', () => intake.texts.includes('still there?'));
  await waitFor('peace', () => other.states.at(-1)?.status === 'ok');
});

test('a foreign webhook is removed', async () => {
  const { fake, bot } = await telegram({ takesHttpWebhooks: true });
  bot.setWebhook({ url: 'http://127.0.0.1:9/nobody', secretToken: undefined });
  const { connector, intake } = connectorTo(fake);
  await connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token });
  bot.person().says('hello');
  await waitFor('the message', () => intake.texts.includes('hello'));
  expect(bot.webhook).toBeNull();
});

test('receiving survives an outage of Telegram', async () => {
  const { fake, bot, connector, intake, states, clock } = await ownBot();
  fake.fail(
    'getUpdates',
    { kind: 'gateway', status: 502 },
    { kind: 'throttle', retryAfterS: 5 },
    { kind: 'drop', isDone: false },
  );
  bot.person().says('wakes the poll');
  await afterPauses(clock, 'the message', () => intake.messages.length === 1);
  bot.person().says('hello');
  await afterPauses(clock, 'the next', () => intake.messages.length === 2);
  expect(states.map(({ status }) => status)).toContain(
    'Telegram did not answer as expected (HTTP status 502)',
  );
  await waitFor('good news', () => states.at(-1)?.status === 'ok');
  expect(connector.provides.sharedLogin!.sharedLogin()).toBeNull();
});

test('an invite link binds its user to the shared bot, and strangers are answered once', async () => {
  const { fake, bot } = await telegram();
  const { connector, intake } = connectorTo(fake, { sharedToken: bot.token });
  intake.knowsNobody = true;
  intake.tokens.add('tok-en_1');
  await connector.start();
  const ada = bot.person({ id: 42, first_name: 'Ada' });
  ada.says('hello?');
  ada.says('anybody?');
  ada.opens('wrong');
  await waitFor('two answers', () => ada.received.length === 2);
  expect(ada.received.map(({ text }) => text)).toEqual([
    expect.stringContaining('ask for an invite link'),
    expect.stringContaining('no longer valid'),
  ]);
  ada.opens('tok-en_1');
  ada.says('here I am');
  await waitFor('the message', () => intake.texts.includes('here I am'));
  await waitFor('the answer', () => ada.received.length === 3);
  expect(intake.bound).toEqual([{ remoteId: '42', remoteName: 'Ada', token: 'tok-en_1' }]);
  expect(intake.messages).toMatchObject([{ from: { login: { kind: 'shared' } } }]);
  expect(connector.provides.sharedLogin!.sharedLogin()).toEqual({ name: `@${bot.username}`, status: 'ok' });
});

test('an invalid shared bot is reported, and does not stop the start', async () => {
  const { fake } = await telegram();
  const { connector } = connectorTo(fake, { sharedToken: '12345:unknown' });
  await connector.start();
  await waitFor('the state', () => connector.provides.sharedLogin!.sharedLogin()?.status === 'Unauthorized');
  expect(connector.provides.sharedLogin!.sharedLogin()).toEqual({ name: null, status: 'Unauthorized' });
});

test('bots can be added and removed at runtime', async () => {
  const { fake, bot, connector, intake, states } = await ownBot();
  expect(states).toEqual([{ name: `@${bot.username}`, status: 'ok' }]);
  const refused = { code: 'bot_refused', message: 'The platform refused the bot token: Unauthorized' };
  await expect(
    connector.provides.bots!.addBot({ id: 'bot_2', accountId: 'acc_a', token: `999:${'x'.repeat(35)}` }),
  ).rejects.toMatchObject(refused);
  await expect(
    connector.provides.bots!.addBot({ id: 'bot_2', accountId: 'acc_a', token: bot.token }),
  ).rejects.toMatchObject({
    code: 'bot_token_taken',
  });
  await connector.provides.bots!.removeBot(BOT_ID);
  await connector.provides.bots!.removeBot(BOT_ID);
  bot.person().says('nobody hears this yet');
  expect(
    await connector.provides.bots!.addBot({ id: 'bot_3', accountId: 'acc_a', token: bot.token }),
  ).toEqual({
    name: `@${bot.username}`,
    status: 'ok',
  });
  await waitFor('what was said meanwhile', () => intake.messages.length === 1);
  fake.revoke(bot);
  await waitFor('the revocation', () => states.at(-1)?.status === 'Unauthorized');
});

test('of two bots with one token that are added at once, one is taken', async () => {
  const { fake, bot } = await telegram();
  const { connector } = connectorTo(fake);
  const adding = ['bot_1', 'bot_2'].map((id) =>
    connector.provides.bots!.addBot({ id, accountId: 'acc_a', token: bot.token }),
  );
  const [first, second] = await Promise.allSettled(adding);
  expect([first!.status, second]).toMatchObject(['fulfilled', { reason: { code: 'bot_token_taken' } }]);
});

test.each([
  'no/token',
  '123456789',
  '123456789:',
  '123456789:AAF-cut-short',
  `:${'x'.repeat(35)}`,
  'xoxb-1-2',
])('the token %j is refused without asking Telegram', async (token) => {
  const { fake } = await telegram();
  const { connector } = connectorTo(fake);
  await expect(
    connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token }),
  ).rejects.toMatchObject({
    code: 'bot_token_malformed',
    message: expect.stringMatching(/^This is not a Telegram bot token\..*@BotFather/),
  });
  expect(fake.calls).toEqual([]);
});

test.each([401, 404])(
  'an answer of %i that is not Telegram’s says nothing about the token',
  async (status) => {
    const { fake, bot } = await telegram();
    const { connector } = connectorTo(fake);
    fake.fail('getMe', { kind: 'gateway', status });
    expect(
      await connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token }),
    ).toEqual({
      name: null,
      status: `Telegram did not answer as expected (HTTP status ${status})`,
    });
  },
);

test('a bot is accepted while nothing listens at Telegram’s address', async () => {
  const { fake, bot } = await telegram();
  const { connector } = connectorTo(fake);
  await fake.stop();
  expect(await connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token })).toEqual(
    {
      name: null,
      status: 'Telegram could not be reached: ECONNREFUSED',
    },
  );
});

test('a bot is accepted while Telegram cannot be reached, and logged in later', async () => {
  const { fake, bot } = await telegram();
  const { connector, clock, intake, states } = connectorTo(fake);
  fake.fail('getMe', { kind: 'gateway', status: 502 }, { kind: 'drop', isDone: false });
  expect(await connector.provides.bots!.addBot({ id: BOT_ID, accountId: 'acc_a', token: bot.token })).toEqual(
    {
      name: null,
      status: 'Telegram did not answer as expected (HTTP status 502)',
    },
  );
  bot.person().says('hello');
  await afterPauses(clock, 'the message', () => intake.messages.length === 1);
  expect(states.at(-1)).toEqual({ name: `@${bot.username}`, status: 'ok' });
});
