import { expect, test } from 'vitest';
import { GatewayCaller } from './gateway-caller.ts';
import { startWorld } from './oceanic-bot.ts';

const IDENTITY = { os: 'linux', browser: 'test', device: 'test' };

test.each<[string, number, (caller: GatewayCaller, token: string) => void]>([
  ['an unknown opcode', 4001, (caller) => caller.send(99, null)],
  ['no JSON', 4002, (caller) => caller.sendText('{')],
  ['an unknown field', 4002, (caller) => caller.send(6, { token: 'a', session_id: 'b', seq: 1, shard: 2 })],
  ['more than 4,096 bytes', 4002, (caller) => caller.send(1, 'x'.repeat(4_096))],
])('%s ends the connection, and is a mistake', async (_what, code, send) => {
  const { discord, bot } = await startWorld();
  const caller = await GatewayCaller.open(discord);
  send(caller, bot.token);
  expect(await caller.closed()).toBe(code);
  expect(discord.mistakes.splice(0)).toHaveLength(1);
});

test.each<[string, number, (caller: GatewayCaller, token: string) => void]>([
  ['a request before Identify', 4003, (caller) => caller.send(3, { status: 'online' })],
  ['a wrong token', 4004, (caller) => caller.identify('wrong')],
  [
    'a shard beyond their number',
    4010,
    (caller, token) => caller.send(2, { token, intents: 1, properties: IDENTITY, shard: [1, 1] }),
  ],
  ['intents that do not exist', 4013, (caller, token) => caller.identify(token, 1 << 29)],
  ['intents that were not granted', 4014, (caller, token) => caller.identify(token, 1 << 1)],
])('%s ends the connection', async (_what, code, send) => {
  const { discord, bot } = await startWorld();
  const caller = await GatewayCaller.open(discord);
  send(caller, bot.token);
  expect(await caller.closed()).toBe(code);
});

test('a version other than 10 is not spoken', async () => {
  const { discord } = await startWorld();
  expect(await (await GatewayCaller.open(discord, 'v=6&encoding=json')).closed()).toBe(4012);
});

test('a second Identify on a connection ends it', async () => {
  const { discord, bot } = await startWorld();
  const caller = await GatewayCaller.open(discord);
  caller.identify(bot.token);
  await caller.next('READY');
  caller.identify(bot.token);
  expect(await caller.closed()).toBe(4005);
});

test('more than 120 payloads in a minute are too many', async () => {
  const { discord } = await startWorld();
  const caller = await GatewayCaller.open(discord);
  for (let n = 0; n < 121; n++) caller.send(1, null);
  expect(await caller.closed()).toBe(4008);
  expect(caller.received.filter(({ op }) => op === 11)).toHaveLength(120);
});

test('who identifies too soon after another time gets op 9', async () => {
  let nowMs = Date.now();
  const { discord, bot } = await startWorld({ identifyWindowMs: 5_000, nowMs: () => nowMs });
  const first = await GatewayCaller.open(discord);
  first.identify(bot.token);
  await first.next('READY');
  const second = await GatewayCaller.open(discord);
  second.identify(bot.token);
  expect((await second.next(9)).d).toBe(false);
  nowMs += 5_001;
  second.identify(bot.token);
  await second.next('READY');
});

test('after the last Identify of a day the token is reset', async () => {
  const { discord, bot } = await startWorld();
  bot.sessionStartLimit(Date.now());
  bot.identifiesLeft = 0;
  const caller = await GatewayCaller.open(discord);
  caller.identify(bot.token);
  expect(await caller.closed()).toBe(4004);
  expect(bot.isRevoked).toBe(true);
});

test('a session is told again what came behind a sequence, each event once', async () => {
  const { discord, bot, ada } = await startWorld();
  const caller = await GatewayCaller.open(discord);
  caller.identify(bot.token, 1 | (1 << 12));
  const ready = await caller.next('READY');
  ada.writes(bot, 'one');
  const { s } = await caller.next('MESSAGE_CREATE');
  caller.close(4_200);
  await caller.closed();
  ada.writes(bot, 'two');
  const resume = { token: bot.token, session_id: ready.d.session_id, seq: s };
  const again = await GatewayCaller.open(discord, 'v=10&encoding=json', ready.d.resume_gateway_url);
  again.send(6, resume);
  await again.next('RESUMED');
  expect(again.received.filter(({ op }) => op === 0).map(({ d }) => d.content)).toEqual(['two']);
  again.close(1000);
  await again.closed();
  const late = await GatewayCaller.open(discord, 'v=10&encoding=json', ready.d.resume_gateway_url);
  late.send(6, resume);
  expect((await late.next(9)).d).toBe(false);
});

test('a sequence that was never told ends the session', async () => {
  const { discord, bot } = await startWorld();
  const caller = await GatewayCaller.open(discord);
  caller.identify(bot.token);
  const ready = await caller.next('READY');
  discord.gateway.faults.drop(bot);
  const again = await GatewayCaller.open(discord, 'v=10&encoding=json', ready.d.resume_gateway_url);
  again.send(6, { token: bot.token, session_id: ready.d.session_id, seq: 99 });
  expect(await again.closed()).toBe(4007);
});

test('a connection that stays silent is closed', async () => {
  const { discord } = await startWorld({ heartbeatMs: 30 });
  const caller = await GatewayCaller.open(discord);
  expect((await caller.next(10)).d.heartbeat_interval).toBe(30);
  expect(await caller.closed()).toBe(4009);
});
