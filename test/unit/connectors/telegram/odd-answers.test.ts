import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { ReadingTime } from '../../../../src/base/reading-time.ts';
import { User } from '../../../../src/connectors/telegram/bot-api-types.ts';
import { BotApi } from '../../../../src/connectors/telegram/client.ts';
import { sendMessage } from '../../../../src/connectors/telegram/outbound.ts';
import { TurnableClock } from '../../../support/turnable-clock.ts';
import { outbound } from './telegram-setup.ts';

/** A Bot API that answers every method with the same result. */
async function apiThatAnswers(result: unknown): Promise<BotApi> {
  const server = createServer((_request, response) => response.end(JSON.stringify({ ok: true, result })));
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(() => new Promise<void>((closed) => server.close(() => closed())));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const clock = new TurnableClock();
  return new BotApi({ api: url, files: url }, '1:token', clock, new ReadingTime(clock).of('acc_a'));
}

const OPTIONS = { deadlineMs: 5_000 };

test.each<[string, unknown]>([
  ['no message', {}],
  ['a message without an id', { message_id: null }],
  ['an album with a gap', [{ message_id: 1 }, {}]],
  ['true', true],
])('the outcome of a send that is answered with %s is unknown', async (_what, result) => {
  const api = await apiThatAnswers(result);
  const { signal } = new AbortController();
  const chat = {
    api,
    clock: new TurnableClock(),
    chatId: '7',
    thread: null,
    signal,
    loggedOut: () => undefined,
    migrated: async () => undefined,
  };
  expect(await sendMessage(chat, outbound(7, 'hello'))).toEqual({
    kind: 'unknown',
    reason: "Telegram's answer to sendMessage cannot be read",
    sentIds: [],
  });
});

test('a result has the shape of its schema, or is a failure', async () => {
  const bot = await apiThatAnswers({ id: 1, username: 'svc_bot', is_bot: true });
  expect(await bot.call('getMe', {}, OPTIONS, User)).toEqual({ id: 1, is_bot: true, username: 'svc_bot' });
  const broken = await apiThatAnswers({ id: 'one' });
  await expect(broken.call('getMe', {}, OPTIONS, User)).rejects.toMatchObject({ kind: 'unclear' });
  await expect(broken.call('getMe', {}, OPTIONS, z.unknown())).resolves.toEqual({ id: 'one' });
});
