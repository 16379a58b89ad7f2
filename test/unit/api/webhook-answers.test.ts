import { expect, test } from 'vitest';
import { webhookRoutes } from '../../../src/api/rest/webhooks.ts';
import { directAddress } from '../../../src/base/address.ts';
import { ReadingTime } from '../../../src/base/reading-time.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { Connector } from '../../../src/connectors/contract/connector.ts';
import type { SendOutcome } from '../../../src/connectors/contract/messenger.ts';
import type { ReplyEnd, TakesWebhooks, WebhookRequest } from '../../../src/connectors/contract/webhooks.ts';
import { waitFor, within } from '../../support/wait-for.ts';
import { Outbound } from '../messaging/outbound-harness.ts';
import { RawClient, served } from './served.ts';

const WITHIN_MS = 25_000;
const HEAD = 'POST /api/telegram/chat HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}';
const ADA = directAddress({ kind: 'bot_token', id: 'bot_1' }, '42');

/** What became of a message, by what became of the reply that held it. */
const OUTCOMES: Readonly<Record<ReplyEnd, SendOutcome | null>> = {
  written: { kind: 'sent', platformMessageIds: [] },
  unwritten: null,
  unclear: { kind: 'unknown', reason: 'The platform disconnected', sentIds: [] },
};

/** A platform whose every webhook waits for the next message to Ada, with its gateway's outbound side. */
async function chat() {
  const world = await Outbound.open();
  await world.bot();
  const conversation = await world.conversation('42');
  const { answers, outbox } = world.domain;
  /** Set: the connector has a message and is about to reply. */
  const gate = { isShut: false, held: 0, open: () => {} };
  const requests: WebhookRequest[] = [];
  const webhooks: TakesWebhooks = {
    endpoints: [{ path: 'chat', methods: ['post'], answers: 'json' }],
    headers: [],
    refuses: () => null,
    webhook: async (request) => {
      requests.push(request);
      const reply = await answers.wait('telegram', { accountId: 'acc_a', from: ADA }, 10_000, request.signal);
      if (reply === null) return { status: 200, json: {} };
      if (gate.isShut) {
        gate.held++;
        await new Promise<void>((resolve) => {
          gate.open = resolve;
        });
      }
      const { text } = reply.message;
      return { status: 200, json: { message: text }, ended: (end) => reply.settle(OUTCOMES[end]) };
    },
  };
  const connector = { platform: 'telegram', provides: { webhooks } } as unknown as Connector;
  const { port } = await served(webhookRoutes([connector], new ReadingTime(systemClock)));
  const send = async (text: string) =>
    await outbox.deliver(await world.outgoing(conversation, text), WITHIN_MS);
  const isWaiting = () => waitFor('the wait', () => answers.waiting === 1);
  const statuses = async () => (await world.messages()).map(({ text, status }) => `${text}: ${status}`);
  return { world, port, send, isWaiting, statuses, gate, requests, messenger: world.messenger };
}

const bodyIn = ({ received }: RawClient) => /\r\n\r\n(\{.*\})$/s.exec(received)?.[1];

test('a message in time is the webhook’s answer, and the next one is sent', async () => {
  const { port, send, isWaiting, statuses, messenger } = await chat();
  const client = new RawClient(port).write(HEAD);
  await isWaiting();
  expect(await send('1')).toEqual({ kind: 'delivered' });
  await within(
    'the answer',
    client.until((each) => bodyIn(each) !== undefined),
  );
  expect(bodyIn(client)).toBe('{"message":"1"}');
  await send('2');
  expect(messenger.texts).toEqual(['2']);
  expect(await statuses()).toEqual(['1: delivered', '2: delivered']);
});

test('of two webhooks at once, one is answered with the message, and the other with nothing', async () => {
  const { port, send, isWaiting, messenger, requests } = await chat();
  const clients = [new RawClient(port).write(HEAD), new RawClient(port).write(HEAD)];
  await waitFor('both', () => requests.length === 2);
  await isWaiting();
  await send('1');
  await within(
    'the answers',
    Promise.all(clients.map((each) => each.until((one) => bodyIn(one) !== undefined))),
  );
  expect(clients.map(bodyIn).sort()).toEqual(['{"message":"1"}', '{}']);
  expect(messenger.asked).toEqual([]);
});

test('a message after the client has gone is sent', async () => {
  const { world, port, send, isWaiting, statuses, messenger } = await chat();
  const client = new RawClient(port).write(HEAD);
  await isWaiting();
  client.socket.destroy();
  await waitFor('the end of the wait', () => world.domain.answers.waiting === 0);
  await send('1');
  expect(messenger.texts).toEqual(['1']);
  expect(await statuses()).toEqual(['1: delivered']);
});

test('a message whose client goes before the reply is written is sent, once', async () => {
  const { port, send, isWaiting, statuses, gate, requests, messenger } = await chat();
  gate.isShut = true;
  const client = new RawClient(port).write(HEAD);
  await isWaiting();
  const settled = send('1');
  await waitFor('the reply', () => gate.held === 1);
  client.socket.destroy();
  await waitFor('the disconnection', () => requests[0]!.signal.aborted);
  gate.open();
  expect(await settled).toEqual({ kind: 'delivered' });
  expect(messenger.texts).toEqual(['1']);
  expect(await statuses()).toEqual(['1: delivered']);
});
