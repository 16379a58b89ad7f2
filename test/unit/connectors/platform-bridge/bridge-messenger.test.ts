import { expect, onTestFinished, test } from 'vitest';
import { directAddress } from '../../../../src/base/address.ts';
import type { OutboundMessage } from '../../../../src/connectors/contract/messenger.ts';
import { BridgeClient } from '../../../../src/connectors/platform-bridge/bridge-client.ts';
import { bridgeMessenger } from '../../../../src/connectors/platform-bridge/bridge-messenger.ts';
import { FakeBridge, type Fault } from '../../../fakes/platform-bridge/fake-bridge.ts';
import { SocketClock } from '../../../support/socket-clock.ts';

const ADA = directAddress({ kind: 'shared' }, 'ada');
const STAYS = new AbortController().signal;

async function bridged(key?: string) {
  const clock = new SocketClock();
  const bridge = await FakeBridge.start(clock);
  onTestFinished(() => bridge.stop());
  const client = new BridgeClient({ url: bridge.url, key: key ?? bridge.key }, clock);
  const messenger = bridgeMessenger('nctalk', {
    client,
    openUrl: async () => (async function* () {})(),
    onIntake: () => undefined,
  });
  const message: OutboundMessage = { messageId: 'msg_1', to: ADA, text: 'Hello', attachments: [] };
  const send = (signal = STAYS, change: Partial<OutboundMessage> = {}) =>
    clock.settled('the outcome', messenger.send({ ...message, ...change }, signal));
  return { bridge, client, clock, messenger, send };
}

test('a message arrives with its place, and its ids come back', async () => {
  const { bridge, client, send } = await bridged();
  expect(await send()).toEqual({ kind: 'sent', platformMessageIds: ['sent-1'] });
  expect(bridge.told.all).toEqual([
    {
      version: 1,
      type: 'message',
      platform: 'nctalk',
      login: 'shared',
      space: { kind: 'direct', id: 'ada' },
      thread: null,
      person: 'ada',
      message_id: 'msg_1',
      text: 'Hello',
    },
  ]);
  expect(client.problem).toBeNull();
});

test.each<readonly [string, Fault, object]>([
  [
    'refused for good',
    { status: 200, body: '{"status":"refused","reason":"blocked","is_gone":true}' },
    { kind: 'refused', reason: 'blocked', isAddressGone: true },
  ],
  [
    'another 4xx',
    { status: 403 },
    { kind: 'refused', reason: 'The bridge answered 403', isAddressGone: false },
  ],
  [
    'too many',
    { status: 429, headers: { 'retry-after': '7' } },
    { kind: 'later', reason: 'The bridge answered 429', afterMs: 7_000 },
  ],
  [
    'an endless wait',
    { status: 503, headers: { 'retry-after': '1000000000' } },
    { kind: 'later', reason: 'The bridge answered 503', afterMs: 30_000 },
  ],
  [
    'another form',
    { status: 200, body: '{"status":"maybe"}' },
    { kind: 'unknown', reason: 'The answer of the bridge has another form than documented', sentIds: [] },
  ],
])('%s', async (_name, fault, outcome) => {
  const { bridge, send } = await bridged();
  bridge.faults.push(fault);
  expect(await send()).toEqual(outcome);
  expect(bridge.texts).toEqual([]);
});

test.each<readonly [string, Fault]>([
  ['a lost answer', { status: 200, cuts: true }],
  ['an unreadable answer', { status: 200, body: '<html>' }],
  ['an answer without an end', { status: 200, body: `"${'x'.repeat(100_000)}"` }],
  ['a failure of the bridge', { status: 500 }],
  ['a redirect', { status: 302, headers: { location: 'http://127.0.0.1:9/' } }],
])('after %s the message is posted again, and arrives once', async (_name, fault) => {
  const { bridge, send } = await bridged();
  bridge.faults.push(fault);
  expect(await send()).toEqual({ kind: 'sent', platformMessageIds: ['sent-1'] });
  expect(bridge.texts).toEqual(['Hello']);
  expect(bridge.posts).toBe(2);
});

test('a message that is unclear until its time is over is unknown', async () => {
  const { bridge, clock, send } = await bridged();
  bridge.faults.push(...Array.from({ length: 9 }, () => ({ status: 500 })));
  const limit = new AbortController();
  clock.after(1_500, () => limit.abort());
  expect(await send(limit.signal)).toEqual({
    kind: 'unknown',
    reason: 'The bridge answered 500',
    sentIds: [],
  });
});

test('a bridge that does not listen has not accepted the message', async () => {
  const { bridge, client, send } = await bridged();
  await bridge.stop();
  expect(await send()).toMatchObject({ kind: 'later', reason: expect.stringContaining('ECONNREFUSED') });
  expect(client.problem).toContain('ECONNREFUSED');
});

test('a bridge with another key refuses the signature', async () => {
  const { bridge, send } = await bridged('another-key-of-the-tests-0123456789abcdef');
  expect(await send()).toMatchObject({ kind: 'refused', reason: 'The bridge answered 401' });
  expect(bridge.refused).toEqual(['signature']);
});

test('files are refused without a post', async () => {
  const { bridge, send } = await bridged();
  const file = { name: 'a', mime: 'text/plain', sizeBytes: 1, open: async function* () {} };
  expect(await send(STAYS, { attachments: [file] })).toMatchObject({
    kind: 'refused',
    reason: 'The bridge takes no files',
  });
  expect(bridge.posts).toBe(0);
});

test('a typing indicator that fails harms nobody', async () => {
  const { bridge, messenger } = await bridged();
  await messenger.typing?.showTyping(ADA, STAYS);
  expect(bridge.told.all).toMatchObject([{ type: 'typing', space: { id: 'ada' } }]);
  await bridge.stop();
  await messenger.typing?.showTyping(ADA, STAYS);
});
