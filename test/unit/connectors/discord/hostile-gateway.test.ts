import { afterEach, expect, it } from 'vitest';
import type { WebSocket } from 'ws';
import { waitFor } from '../../../support/wait-for.ts';
import { type Connected, connect, SPEED } from './discord-setup.ts';
import { event, HELLO, HostileGateway, ready } from './hostile-gateway.ts';

const HUGE_BYTES = 17 * 1_024 * 1_024;

let hostile: HostileGateway;
let subject: Connected;

afterEach(async () => {
  await subject?.connector.close();
  await hostile?.stop();
});

async function start(says: (socket: WebSocket, n: number) => void): Promise<void> {
  hostile = await HostileGateway.start(says);
  subject = connect({ url: hostile.url });
  void subject.connector.provides.bots!.addBot({
    id: 'bot_1',
    accountId: 'acc_a',
    token: 'MTAwMDAwMDAwMDAwMDAwMDAx.GkX2pA.a-signature-of-nobody-at-all',
    appId: '100000000000000001',
  });
}

const wsUrl = () => hostile.url.replace('http', 'ws');

it.each([
  ['half JSON', '{"op":10,"d":{"heartbeat'],
  ['no JSON', 'hello'],
  ['an array', '[10]'],
  ['a number', '10'],
  ['an operation that is no number', '{"op":"10"}'],
  ['a hello without an interval', '{"op":10,"d":{}}'],
  ['an interval of nothing', '{"op":10,"d":{"heartbeat_interval":0}}'],
  ['an interval of months', '{"op":10,"d":{"heartbeat_interval":1e12}}'],
  ['deep nesting', `${'['.repeat(50_000)}${']'.repeat(50_000)}`],
  ['a huge frame', `"${'x'.repeat(HUGE_BYTES)}"`],
  ['binary', Buffer.from([0x78, 0x9c, 1, 2, 3])],
  ['an event before a session', `${event(5, 'MESSAGE_CREATE', {})}`],
  ['a READY of nothing', event(1, 'READY', null)],
])(
  '%s ends the connection, which is opened again with a pause',
  async (_name, said) => {
    await start((socket) => {
      if (`${said}`.startsWith('{"op":0')) socket.send(HELLO);
      socket.send(said);
    });
    const startMs = performance.now();
    await waitFor('the second connection', () => hostile.connections >= 2);
    expect(performance.now() - startMs).toBeGreaterThan(300 / SPEED);
    await subject.connector.close();
    expect(subject.connector.provides.bots).toBeDefined();
    expect(subject.logs.filter((line) => line.startsWith('error'))).toEqual([]);
  },
  40_000,
);

it('events that cannot be read are skipped, and those behind them are taken', async () => {
  const author = { id: '200000000000000001', username: 'ada', global_name: 'Ada' };
  const common = { channel_id: '300000000000000001', timestamp: 'no time', type: 0, mentions: 'nobody' };
  await start((socket) => {
    socket.send(HELLO);
    socket.on('message', (data) => {
      if (JSON.parse(`${data}`).op !== 2) return;
      socket.send(ready(wsUrl()));
      const odd = [
        null,
        7,
        [],
        {},
        { ...common, id: 'x', author, content: 'bad id' },
        { ...common, author: null },
      ];
      const types = [
        'MESSAGE_CREATE',
        'MESSAGE_UPDATE',
        'MESSAGE_DELETE',
        'MESSAGE_DELETE_BULK',
        'CHANNEL_DELETE',
      ];
      let s = 2;
      for (const t of [...types, 'GUILD_DELETE', 'VOICE_STATE_UPDATE', 'VOICE_SERVER_UPDATE', '__proto__'])
        for (const d of odd) socket.send(event(s++, t, d));
      const good = { ...common, id: '400000000000000001', author, content: 'x'.repeat(65_536) };
      socket.send(event(s, 'MESSAGE_CREATE', good));
    });
  });
  await waitFor('the good one', () => subject.intake.messages.length === 1);
  expect(subject.intake.messages[0]).toMatchObject({ remoteName: 'Ada', files: [] });
  expect(subject.intake.messages[0]!.text).toHaveLength(65_536);
  expect(hostile.connections).toBe(1);
});

it('the token goes to no address of another protocol than the API’s', async () => {
  hostile = await HostileGateway.start(() => undefined);
  hostile.gatewayUrl = hostile.url;
  subject = connect({ url: hostile.url });
  const bot = {
    id: 'bot_1',
    accountId: 'acc_a',
    token: 'MTAwMDAwMDAwMDAwMDAwMDAx.GkX2pA.a-signature-of-nobody-at-all',
    appId: '100000000000000001',
  };
  expect((await subject.connector.provides.bots!.addBot(bot)).status).toBe('Discord named an unusable URL');
  expect(hostile.connections).toBe(0);
});

it('a flood of events is dropped, and the rest is asked for again', async () => {
  const author = { id: '200000000000000001', username: 'ada' };
  const message = { channel_id: '300000000000000001', timestamp: '', type: 0, author, content: 'x' };
  const stuck = Promise.withResolvers<void>();
  await start((socket) => {
    socket.send(HELLO);
    socket.on('message', (data) => {
      if (JSON.parse(`${data}`).op !== 2) return;
      socket.send(ready(wsUrl()));
      for (let s = 2; s < 2_500; s++)
        socket.send(event(s, 'MESSAGE_CREATE', { ...message, id: `4000000000000${10_000 + s}` }));
    });
  });
  subject.intake.before = () => stuck.promise;
  await waitFor('the connection to be dropped', () => subject.counts.get('event_failed') === 1);
  stuck.resolve();
  await waitFor('it to be resumed', () => hostile.heard.some((text) => JSON.parse(text).op === 6));
  const { d } = JSON.parse(hostile.heard.find((text) => JSON.parse(text).op === 6)!);
  expect(d).toMatchObject({ session_id: 'a-session', seq: 2 });
});
