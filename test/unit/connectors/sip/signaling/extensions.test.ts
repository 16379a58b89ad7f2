import { afterEach, beforeEach, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, TOKEN, trunkTo } from './start-connector.ts';

const OTHER_TOKEN = 'fedcba9876543210'.repeat(2);

let gateway: ConnectorUnderTest;
let exchange: ScriptedPeer;
let rungBefore: number;

beforeEach(async () => {
  rungBefore = 0;
  exchange = await ScriptedPeer.start();
  gateway = await ConnectorUnderTest.start({ trunkAllow: ['127.0.0.0/8'] });
  exchange.facing(gateway.connector.port!);
  gateway.connector.putTrunk(trunkTo(exchange.port, { ofOperator: false, username: '1001' }));
  gateway.connector.putTrunk(
    trunkTo(exchange.port, { ofOperator: false, accountId: 'acc_2', inboundToken: OTHER_TOKEN }),
  );
  for (const accountId of ['acc_1', 'acc_2']) {
    await waitFor('the inbound URI', () => gateway.connector.inboundUri(accountId) !== null);
  }
});
afterEach(async () => {
  exchange.stop();
  await gateway.stop();
});

function list(accountId: string, ...numbers: string[]): void {
  for (const number of numbers) {
    gateway.connector.putNumber({ ...NUMBER, didId: `${accountId} ${number}`, accountId, number });
  }
}

let calls = 0;
/** Calls the token's trunk, with the called number in To. */
function call(token: string, user: string): void {
  const callId = `call-${++calls}`;
  exchange.send('INVITE', `sip:${token}@${gateway.uri}`, {
    callId,
    cseq: 1,
    body: sdp(),
    to: `sip:${user}@exchange.example`,
  });
}

/** The account and the number that the newest call rings. */
async function rung(): Promise<string> {
  const { call } = await gateway.answerer.next(rungBefore++);
  return `${call.accountId} ${/^sip:(.*)@/.exec(call.target)![1]}`;
}

it.each([
  ['1001', '1001'],
  ['0123456789', '0123456789'],
  ['0123456789', '+33123456789'],
  ['0123456789', '0033123456789'],
  ['2125550123', '+12125550123'],
  ['+33123456789', '0123456789'],
])('%s is called as %s', async (listed, dialled) => {
  list('acc_1', listed, '1002');
  call(TOKEN, dialled);
  expect(await rung()).toBe(`acc_1 ${listed}`);
});

it.each([
  ['+331234561001', '1001'],
  ['1001', '+331234561001'],
  ['1001', '01001'],
  ['1001', '1002'],
  ['01', '+33123456701'],
])('%s is not called as %s', async (listed, dialled) => {
  list('acc_1', listed, '7');
  call(TOKEN, dialled);
  await exchange.response(404, 'INVITE');
  expect(gateway.answerer.calls).toEqual([]);
});

it('the same extension of two accounts is two numbers', async () => {
  list('acc_1', '1001');
  list('acc_2', '1001');
  call(OTHER_TOKEN, '1001');
  expect(await rung()).toBe('acc_2 1001');
  call(TOKEN, '1001');
  expect(await rung()).toBe('acc_1 1001');
  gateway.connector.removeNumber('acc_2 1001');
  call(OTHER_TOKEN, '1001');
  await exchange.response(404, 'INVITE');
  call(TOKEN, '1001');
  expect(await rung()).toBe('acc_1 1001');
});

it('an extension is not reached without its trunk', async () => {
  list('acc_1', '1001');
  exchange.send('INVITE', `sip:1001@${gateway.uri}`, { callId: 'guess', cseq: 1, body: sdp() });
  await exchange.response(404, 'INVITE');
  const stranger = await ScriptedPeer.start('127.0.0.9');
  stranger.facing(gateway.connector.port!);
  stranger.send('INVITE', `sip:1001@${gateway.uri}`, { callId: 'stranger', cseq: 1, body: sdp() });
  await waitFor('the refusal', () => gateway.counted('scanner_dropped') > 0);
  stranger.stop();
  expect(gateway.answerer.calls).toEqual([]);
});

it('an extension that is also the user name of the trunk is called by it', async () => {
  list('acc_1', '1001', '1002');
  call(TOKEN, '1001');
  expect(await rung()).toBe('acc_1 1001');
});

it('one number that is listed in two forms is called as dialled', async () => {
  list('acc_1', '0123456789', '+33123456789');
  call(TOKEN, '0123456789');
  expect(await rung()).toBe('acc_1 0123456789');
  call(TOKEN, '+33123456789');
  expect(await rung()).toBe('acc_1 +33123456789');
});
