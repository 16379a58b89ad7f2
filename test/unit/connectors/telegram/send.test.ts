import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import { GatewayError } from '../../../../src/base/errors.ts';
import type { SendOutcome } from '../../../../src/connectors/contract/messenger.ts';
import type { Fault } from '../../../fakes/telegram/refusal.ts';
import {
  afterPauses,
  connectorTo,
  formFile,
  JPEG,
  LOGIN,
  NEVER,
  outbound,
  outboundFile,
  ownBot,
  telegram,
} from './telegram-setup.ts';

async function written() {
  const setup = await ownBot();
  const ada = setup.bot.person();
  ada.says('hello');
  const send = (text: string, files: Parameters<typeof outbound>[2] = [], signal = NEVER) =>
    setup.connector.provides.messenger!.send(outbound(ada.facts.id, text, files), signal);
  return { ...setup, ada, send };
}

test('text arrives formatted, and the send returns its id', async () => {
  const { ada, send } = await written();
  expect(await send('*Hi* Ada, use `a_b`')).toEqual({
    kind: 'sent',
    platformMessageIds: [String(ada.received[0]!.message_id)],
  });
  expect(ada.received).toMatchObject([
    {
      text: 'Hi Ada, use a_b',
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'code', offset: 12, length: 3 },
      ],
    },
  ]);
});

test('a text whose formatting Telegram refuses is sent without it', async () => {
  const { fake, ada, send } = await written();
  fake.fail('sendMessage', {
    kind: 'refuse',
    status: 400,
    description: "Bad Request: can't parse entities: too many",
  });
  expect(await send('*Hi*')).toMatchObject({ kind: 'sent' });
  expect(ada.received).toMatchObject([{ text: '*Hi*' }]);
});

test('the length limit is 4096 code points, as in Telegram', async () => {
  const { connector, send } = await written();
  connector.provides.messenger!.checkText('😀'.repeat(4_096), false);
  expect(await send('😀'.repeat(4_096))).toMatchObject({ kind: 'sent' });
  // By then the Markdown has become entities.
  connector.provides.messenger!.checkText(`*${'a'.repeat(4_096)}*`, false);
  expect(await send(`*${'a'.repeat(4_096)}*`)).toMatchObject({ kind: 'sent' });
  expect(() => connector.provides.messenger!.checkText(`*${'a'.repeat(4_097)}*`, false)).toThrow(
    '4097 characters',
  );
  const tooLong = () => connector.provides.messenger!.checkText('a'.repeat(4_097), false);
  expect(tooLong).toThrow(GatewayError);
  expect(tooLong).toThrow(/^Failed to send message: the message is too long/);
  expect(await send('a'.repeat(4_097))).toEqual({
    kind: 'refused',
    reason: 'Bad Request: message is too long',
    isAddressGone: false,
  });
});

test.each([
  ['image/jpeg', 'photo', JPEG],
  ['image/gif', 'animation', Buffer.from('GIF89a')],
  ['video/mp4', 'video', Buffer.from('ftyp')],
  ['audio/mpeg', 'audio', Buffer.from('ID3')],
  ['audio/ogg; codecs=opus', 'voice', Buffer.from('OggS')],
  ['application/pdf', 'document', Buffer.from('%PDF')],
  ['not a type', 'document', Buffer.from('x')],
] as const)('a file of type %s is sent as %s, with its caption, byte for byte', async (mime, kind, bytes) => {
  const { bot, ada, send } = await written();
  const name = 'a "b" é\r\n.bin';
  expect(await send('_see_', [outboundFile(name, mime, bytes)])).toMatchObject({ kind: 'sent' });
  const [message] = ada.received as Record<string, unknown>[];
  expect(message).toMatchObject({ caption: 'see', caption_entities: [{ type: 'italic' }] });
  const shown = [message![kind]].flat().at(-1) as { file_id: string; file_name?: string };
  expect(shown.file_name ?? name).toBe(name);
  const { file_path: path } = bot.files.prepare(shown.file_id);
  expect(bot.files.at(path)).toEqual(bytes);
});

test('a large file arrives byte for byte', async () => {
  const { ada, bot, send } = await written();
  const bytes = randomBytes(20_000_000);
  expect(await send('', [outboundFile('large.bin', 'application/x-large', bytes)])).toMatchObject({
    kind: 'sent',
  });
  const { document } = ada.received[0] as { document?: { file_id: string } };
  const { file_path: path } = bot.files.prepare(document!.file_id);
  expect(bot.files.at(path)!.equals(bytes)).toBe(true);
});

test('files of one kind are sent as albums of ten, others alone, the caption with the first', async () => {
  const { fake, ada, send } = await written();
  const photo = outboundFile('p.jpg', 'image/jpeg', JPEG);
  const film = outboundFile('f.mp4', 'video/mp4', Buffer.from('ftyp'));
  const text = outboundFile('t.txt', 'text/plain', Buffer.from('t'));
  const files = [photo, film, ...Array.from({ length: 9 }, () => photo), text];
  const outcome = await send('all of it', files);
  expect(outcome).toEqual({
    kind: 'sent',
    platformMessageIds: ada.received.map(({ message_id: id }) => String(id)),
  });
  expect(ada.received).toHaveLength(12);
  expect(ada.received[0]!.caption).toBe('all of it');
  expect(ada.received.slice(1).every(({ caption }) => caption === undefined)).toBe(true);
  const methods = fake.calls.map(({ method }) => method).filter((method) => method.startsWith('send'));
  expect(methods).toEqual(['sendMediaGroup', 'sendPhoto', 'sendDocument']);
});

test('a text that is too long for a caption is sent before the files', async () => {
  const { ada, send } = await written();
  const file = outboundFile('t.txt', 'text/plain', Buffer.from('t'));
  await send('a'.repeat(1_024), [file]);
  await send('b'.repeat(1_025), [file]);
  await send(`_${'c'.repeat(1_024)}_`, [file]);
  const lengths = ada.received.map(({ text, caption }) => (text ?? caption ?? '').length);
  expect(lengths).toEqual([1_024, 1_025, 0, 1_024]);
});

test('an invalid picture is sent as a document', async () => {
  const { ada, send } = await written();
  const broken = outboundFile('p.jpg', 'image/jpeg', Buffer.from('no picture'));
  expect(await send('x', [broken])).toMatchObject({ kind: 'sent' });
  expect(ada.received).toMatchObject([{ caption: 'x', document: { file_name: 'p.jpg' } }]);
});

test.each<[string, Fault, Partial<SendOutcome>]>([
  [
    'throttled',
    { kind: 'throttle', retryAfterS: 7 },
    { kind: 'later', reason: 'Too Many Requests: retry after 7', afterMs: 7_000 },
  ],
  [
    'blocked',
    { kind: 'refuse', status: 403, description: 'Forbidden: bot was blocked by the user' },
    { kind: 'refused', reason: 'Forbidden: bot was blocked by the user', isAddressGone: true },
  ],
  [
    'a fault of Telegram',
    { kind: 'refuse', status: 500, description: 'Internal Server Error: restart' },
    { kind: 'unknown', reason: 'Internal Server Error: restart', sentIds: [] },
  ],
  [
    'a proxy in between',
    { kind: 'gateway', status: 502 },
    { kind: 'unknown', reason: 'Telegram did not answer as expected (HTTP status 502)', sentIds: [] },
  ],
  ['a lost answer', { kind: 'drop', isDone: true }, { kind: 'unknown', sentIds: [] }],
])('%s: the send returns the matching outcome', async (_what, fault, expected) => {
  const { fake, send } = await written();
  fake.fail('sendMessage', fault);
  expect(await send('x')).toMatchObject(expected);
});

test('a message to a stranger or a person who blocked the bot is refused', async () => {
  const { bot, ada, send, connector } = await written();
  const stranger = bot.person({ id: 4_711, first_name: 'Eve' });
  expect(await connector.provides.messenger!.send(outbound(stranger.facts.id, 'x'), NEVER)).toEqual({
    kind: 'refused',
    reason: 'Bad Request: chat not found',
    isAddressGone: true,
  });
  ada.blocks();
  expect(await send('x')).toMatchObject({ kind: 'refused', isAddressGone: true });
});

test('a partly sent message waits for Telegram, and reports the parts that arrived if the rest fails', async () => {
  const { fake, clock, ada, send } = await written();
  const file = outboundFile('t.txt', 'text/plain', Buffer.from('t'));
  fake.fail('sendDocument', { kind: 'throttle', retryAfterS: 3 });
  const patient = send('a'.repeat(2_000), [file]);
  await afterPauses(clock, 'the file', () => ada.received.length === 2);
  expect(await patient).toMatchObject({ kind: 'sent', platformMessageIds: ['2', '3'] });

  fake.fail('sendDocument', { kind: 'refuse', status: 400, description: 'Bad Request: wrong type' });
  expect(await send('b'.repeat(2_000), [file])).toEqual({
    kind: 'unknown',
    reason: 'Bad Request: wrong type',
    sentIds: ['4'],
  });
});

test('a timeout is an unknown outcome, and a send without time left is not attempted', async () => {
  const { fake, send } = await written();
  fake.fail('sendMessage', { kind: 'hang' });
  const late = new AbortController();
  const outcome = send('x', [], late.signal);
  const asked = () => fake.calls.some(({ method }) => method === 'sendMessage');
  while (!asked()) await new Promise((resolve) => setImmediate(resolve));
  late.abort();
  expect(await outcome).toMatchObject({ kind: 'unknown', sentIds: [] });
  expect(await send('x', [], AbortSignal.abort())).toMatchObject({ kind: 'later' });
});

test('a file that can no longer be read is refused, and Telegram gets no part of it', async () => {
  const { ada, send } = await written();
  const gone = {
    ...outboundFile('t.txt', 'text/plain', Buffer.alloc(10)),
    // biome-ignore lint/correctness/useYield: it fails before there is anything
    async *open(): AsyncGenerator<Uint8Array> {
      throw new GatewayError('platform_failed', 'The file is gone');
    },
  };
  expect(await send('x', [gone])).toEqual({
    kind: 'refused',
    reason: 'The file is gone',
    isAddressGone: false,
  });
  expect(ada.received).toEqual([]);
});

test('a message is retried later when Telegram cannot be reached', async () => {
  const { fake, send } = await written();
  await fake.stop();
  expect(await send('x')).toMatchObject({
    kind: 'later',
    reason: 'Telegram could not be reached: ECONNREFUSED',
  });
});

test('typing is shown, and its failures are ignored', async () => {
  const { fake, ada, connector } = await written();
  const to = directAddress(LOGIN, String(ada.facts.id));
  await connector.provides.messenger!.typing!.showTyping(to, NEVER);
  expect(ada.typingShown).toBe(1);
  fake.fail('sendChatAction', { kind: 'gateway', status: 502 });
  await connector.provides.messenger!.typing!.showTyping(to, NEVER);
  await connector.provides.messenger!.typing!.showTyping({ ...to, login: { kind: 'shared' } }, NEVER);
});

test('files of people can be fetched repeatedly, until Telegram no longer has them', async () => {
  const { fake, bot, connector } = await written();
  const facts = bot.files.keep(formFile('a', 'image/jpeg'));
  const fetched = async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of await connector.provides.messenger!.files!.fetchFile(
      LOGIN,
      facts.file_id,
      NEVER,
    ))
      pieces.push(piece);
    return Buffer.concat(pieces);
  };
  expect(await fetched()).toEqual(JPEG);
  expect(await fetched()).toEqual(JPEG);
  fake.fail('file', { kind: 'gateway', status: 500 });
  await expect(fetched()).rejects.toMatchObject({ code: 'platform_failed' });
  fake.fail('getFile', { kind: 'throttle', retryAfterS: 1 });
  await expect(fetched()).rejects.toMatchObject({ code: 'platform_failed' });
  bot.files.forget(facts.file_id);
  await expect(fetched()).rejects.toMatchObject({ code: 'file_gone' });
  const large = bot.files.keep(formFile('b', 'video/mp4', Buffer.alloc(20_000_001)));
  await expect(
    connector.provides.messenger!.files!.fetchFile(LOGIN, large.file_id, NEVER),
  ).rejects.toMatchObject({ code: 'file_gone' });
  await connector.provides.bots!.removeBot(LOGIN.id);
  await expect(fetched()).rejects.toMatchObject({ code: 'file_gone' });
});

test('bots of several logins do not interfere', async () => {
  const { fake, bot } = await telegram();
  const other = fake.addBot();
  const { connector } = connectorTo(fake);
  await connector.provides.bots!.addBot({ id: 'bot_1', accountId: 'acc_a', token: bot.token });
  await connector.provides.bots!.addBot({ id: 'bot_2', accountId: 'acc_a', token: other.token });
  const [ada, bob] = [bot.person(), other.person()];
  ada.says('to the first');
  bob.says('to the second');
  const message = { ...outbound(bob.facts.id, 'x'), to: directAddress(LOGIN, String(bob.facts.id)) };
  expect(await connector.provides.messenger!.send(message, NEVER)).toMatchObject({ kind: 'refused' });
  const login = { kind: 'bot_token', id: 'bot_2' } as const;
  expect(
    await connector.provides.messenger!.send({ ...message, to: { ...message.to, login } }, NEVER),
  ).toMatchObject({
    kind: 'sent',
  });
  expect([ada.received.length, bob.received.length]).toEqual([0, 1]);
});

test('a message goes to the topic in which it is answered', async () => {
  const { connector, ada } = await written();
  const message = outbound(ada.facts.id, 'in here');
  await connector.provides.messenger!.send({ ...message, to: { ...message.to, thread: '11' } }, NEVER);
  expect(ada.received).toMatchObject([{ text: 'in here', message_thread_id: 11 }]);
});
