import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { VoiceConnectionStatus } from '@discordjs/voice';
import { expect, onTestFinished, test } from 'vitest';
import { CLOSE_CODES, type CloseCode } from '../../../fakes/discord/voice/close-codes.ts';
import { FakeVoice, type FakeVoiceOptions } from '../../../fakes/discord/voice/fake-voice.ts';
import { DiscordVoiceBot } from '../../../support/discord-voice-bot.ts';
import { RawVoiceClient } from '../../../support/raw-voice-client.ts';
import { analyzeTone } from '../../../support/tone-analysis.ts';
import { waitFor } from '../../../support/wait-for.ts';

const BOT = '333333333333333333';
const ANNA = '444444444444444444';
const GUILD = '111111111111111111';
const CHANNEL = '222222222222222222';
const OTHER_CHANNEL = '222222222222222223';
const PLACE = { guildId: GUILD, channelId: CHANNEL, userId: BOT };
const STAY = { ...PLACE, sessionId: 'a-session', token: 'a-token' };
const IDENTIFY = {
  server_id: GUILD,
  user_id: BOT,
  session_id: STAY.sessionId,
  token: STAY.token,
  max_dave_protocol_version: 1,
};
const RESUME = { server_id: GUILD, session_id: STAY.sessionId, token: STAY.token, seq_ack: -1 };
const CODES = Object.keys(CLOSE_CODES).map(Number) as CloseCode[];

async function startVoice(options: FakeVoiceOptions = {}): Promise<FakeVoice> {
  const voice = await FakeVoice.start(options);
  onTestFinished(() => voice.stop());
  return voice;
}

async function connect(voice: FakeVoice): Promise<RawVoiceClient> {
  const client = new RawVoiceClient(voice);
  onTestFinished(() => client.cut());
  await client.next(8);
  return client;
}

async function identified(voice: FakeVoice): Promise<RawVoiceClient> {
  voice.expect(STAY);
  const client = await connect(voice);
  client.send(0, IDENTIFY);
  await client.next(2);
  return client;
}

/** Asks for its own address, as a client does before it selects a protocol. */
async function discover(client: RawVoiceClient): Promise<{ address: string; port: number }> {
  const { d } = await client.next(2);
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  const request = Buffer.alloc(74);
  request.writeUInt16BE(1, 0);
  request.writeUInt16BE(70, 2);
  request.writeUInt32BE(d.ssrc, 4);
  socket.send(request, d.port, d.ip);
  const [answer] = (await once(socket, 'message')) as [Buffer];
  const address = answer.subarray(8, answer.indexOf(0, 8)).toString();
  return { address, port: answer.readUInt16BE(72) };
}

async function joinBot(voice: FakeVoice): Promise<DiscordVoiceBot> {
  const bot = DiscordVoiceBot.join(voice, PLACE);
  onTestFinished(() => bot.leave());
  await bot.ready();
  return bot;
}

async function snrOf(voice: FakeVoice, channelId: string): Promise<number> {
  const listener = voice.person(channelId, ANNA)!.heard(BOT);
  listener.clear();
  await waitFor('a second of the bot', () => listener.frames.length >= 50);
  return analyzeTone(listener.samples, 48_000, 440).snrDb;
}

test.each([
  ['another guild', { ...IDENTIFY, server_id: '5' }, 4011],
  ['another user', { ...IDENTIFY, user_id: '5' }, 4006],
  ['another session', { ...IDENTIFY, session_id: 'another' }, 4006],
  ['another token', { ...IDENTIFY, token: 'another' }, 4004],
  ['DAVE 0', { ...IDENTIFY, max_dave_protocol_version: 0 }, 4017],
  ['no word of DAVE', { ...IDENTIFY, max_dave_protocol_version: undefined }, 4017],
  ['an unknown field', { ...IDENTIFY, colour: 'red' }, 4002],
])('Identify with %s is refused', async (_what, identify, code) => {
  const voice = await startVoice();
  voice.expect(STAY);
  const client = await connect(voice);
  client.send(0, identify);
  expect(await client.closing()).toBe(code);
  expect(client.closed?.reason).toBe(CLOSE_CODES[code as CloseCode]);
  expect(voice.session(BOT)).toBeNull();
});

test.each([
  ['something else than Identify', (client: RawVoiceClient) => client.send(5, {}), 4003],
  ['a binary message', (client: RawVoiceClient) => client.sendBinary(Buffer.from([26])), 4003],
  ['no JSON', (client: RawVoiceClient) => client.sendText('hello'), 4002],
  ['an endless list', (client: RawVoiceClient) => client.sendText('['.repeat(65_536)), 4002],
])('a client that begins with %s is refused', async (_what, begin, code) => {
  const voice = await startVoice();
  const client = await connect(voice);
  begin(client);
  expect(await client.closing()).toBe(code);
});

test.each([
  ['identifies again', (client: RawVoiceClient) => client.send(0, IDENTIFY), 4005],
  ['sends an unknown opcode', (client: RawVoiceClient) => client.send(99, {}), 4001],
  ['sends an unknown binary opcode', (client: RawVoiceClient) => client.sendBinary(Buffer.from([99])), 4001],
  ['sends an empty binary message', (client: RawVoiceClient) => client.sendBinary(Buffer.alloc(0)), 4001],
  ['speaks as another', (client: RawVoiceClient) => client.send(5, { speaking: 1, delay: 0, ssrc: 1 }), 4020],
  [
    'sends a broken key package',
    (client: RawVoiceClient) => client.sendBinary(Buffer.from([26, 1, 2, 3, 4, 5])),
    4002,
  ],
  ['sends a broken commit', (client: RawVoiceClient) => client.sendBinary(Buffer.alloc(64_000, 28)), 4002],
  [
    'selects another protocol',
    (client: RawVoiceClient) => client.send(1, selection({ protocol: 'webrtc' })),
    4012,
  ],
  ['selects another mode', (client: RawVoiceClient) => client.send(1, selection({ mode: 'xsalsa20' })), 4016],
  ['selects a foreign address', (client: RawVoiceClient) => client.send(1, selection({})), 4020],
])('a client that %s is refused', async (_what, act, code) => {
  const voice = await startVoice();
  const client = await identified(voice);
  act(client);
  expect(await client.closing()).toBe(code);
  expect(voice.offences.length).toBe(1);
  await waitFor('the session to end', () => voice.session(BOT) === null);
});

function selection({ protocol = 'udp', mode = 'aead_aes256_gcm_rtpsize' }) {
  return { protocol, data: { address: '127.0.0.1', port: 9, mode } };
}

test('a client without heartbeats is closed with 4009', async () => {
  const voice = await startVoice({ heartbeatIntervalMs: 200 });
  const client = await identified(voice);
  client.send(3, { t: 7, seq_ack: -1 });
  expect((await client.next(6)).d).toEqual({ t: 7 });
  expect(await client.closing()).toBe(4009);
});

test.each(CODES)('a session is closed with %i on demand', async (code) => {
  const voice = await startVoice();
  const client = await identified(voice);
  voice.close(voice.session(BOT)!, code);
  expect(await client.closing()).toBe(code);
});

test('attempts are refused and counted', async () => {
  const voice = await startVoice();
  voice.expect(STAY);
  voice.refuse(4021, 2);
  const codes: number[] = [];
  for (let i = 0; i < 2; i++) {
    const client = await connect(voice);
    client.send(0, IDENTIFY);
    codes.push(await client.closing());
  }
  await identified(voice);
  expect(codes).toEqual([4021, 4021]);
  expect(voice.attempts.map(({ kind, code }) => [kind, code])).toEqual([
    ['identify', 4021],
    ['identify', 4021],
    ['identify', null],
  ]);
  expect(voice.offences).toEqual([]);
});

test('a session resumes where it was, and nothing is lost or doubled', async () => {
  const voice = await startVoice();
  const client = await identified(voice);
  client.send(1, {
    protocol: 'udp',
    data: { ...(await discover(client)), mode: 'aead_xchacha20_poly1305_rtpsize' },
  });
  const { seq } = await client.next(25);
  client.cut();
  voice.addPerson(CHANNEL, ANNA, 'Anna');
  const again = await connect(voice);
  again.send(7, { ...RESUME, seq_ack: seq });
  await again.next(9);
  await again.next(20);
  expect(again.messages.map((message) => [message.op, message.seq])).toEqual([
    [8, undefined],
    [9, undefined],
    [11, seq! + 1],
    [18, seq! + 2],
    [20, seq! + 3],
  ]);
  expect((await again.next(11)).d).toEqual({ user_ids: [ANNA] });
});

test.each([
  ['an unknown session', { ...RESUME, session_id: 'another' }, 4006],
  ['a wrong token', { ...RESUME, token: 'another' }, 4004],
  ['a sequence from the future', { ...RESUME, seq_ack: 99 }, 4006],
  ['no sequence', { ...RESUME, seq_ack: undefined }, 4002],
])('Resume with %s is refused', async (_what, resume, code) => {
  const voice = await startVoice();
  const client = await identified(voice);
  client.cut();
  const again = await connect(voice);
  again.send(7, resume);
  expect(await again.closing()).toBe(code);
});

test('@discordjs/voice resumes after 4015 and after a broken connection, and takes part in what it missed', async () => {
  const voice = await startVoice();
  const bot = await joinBot(voice);
  bot.sing(440);
  const session = voice.session(BOT)!;
  session.cut();
  voice.addPerson(CHANNEL, ANNA, 'Anna');
  expect(await snrOf(voice, CHANNEL)).toBeGreaterThan(20);
  voice.close(session, 4015);
  await waitFor('a second resume', () => voice.attempts.filter(({ kind }) => kind === 'resume').length === 2);
  expect(await snrOf(voice, CHANNEL)).toBeGreaterThan(20);
  expect(voice.session(BOT)).toBe(session);
  expect(voice.attempts.map(({ kind, code }) => [kind, code])).toEqual([
    ['identify', null],
    ['resume', null],
    ['resume', null],
  ]);
  expect(voice.offences).toEqual([]);
});

test('@discordjs/voice identifies anew after 4006, and stays away after 4014', async () => {
  const voice = await startVoice();
  const bot = await joinBot(voice);
  voice.close(voice.session(BOT)!, 4006);
  await waitFor('a second join', () => bot.rejoins === 2);
  await bot.ready();
  voice.left(GUILD, BOT);
  await waitFor('the end', () => bot.connection.state.status === VoiceConnectionStatus.Disconnected);
  expect(bot.connection.state).toMatchObject({ closeCode: 4014 });
  expect(bot.rejoins).toBe(2);
});

test('@discordjs/voice follows to another channel and to another server', async () => {
  const voice = await startVoice();
  const bot = await joinBot(voice);
  bot.sing(440);
  voice.addPerson(CHANNEL, ANNA, 'Anna');
  voice.addPerson(OTHER_CHANNEL, ANNA, 'Anna');
  expect(await snrOf(voice, CHANNEL)).toBeGreaterThan(20);
  bot.connectTo(OTHER_CHANNEL);
  expect(await snrOf(voice, OTHER_CHANNEL)).toBeGreaterThan(20);
  await waitFor('the former call without the bot', () => voice.call(CHANNEL).participants.length === 1);
  const { server } = voice;
  await voice.changeServer();
  bot.connectTo(OTHER_CHANNEL);
  await waitFor('the new server', () => voice.session(BOT)?.server === voice.server.media);
  expect(server.media.port).not.toBe(voice.server.media.port);
  expect(await snrOf(voice, OTHER_CHANNEL)).toBeGreaterThan(20);
});

test('people and bots whose stay ends are gone, and those who move leave the former channel', async () => {
  const voice = await startVoice();
  const person = { ...STAY, userId: ANNA };
  voice.expect(person);
  voice.addPerson(CHANNEL, ANNA, 'Anna');
  await identified(voice);
  expect(voice.call(CHANNEL).participants.map(({ userId }) => userId)).toEqual([ANNA, BOT]);
  voice.expect({ ...person, channelId: OTHER_CHANNEL });
  expect(voice.person(CHANNEL, ANNA)).toBeNull();
  voice.addPerson(OTHER_CHANNEL, ANNA, 'Anna');
  voice.left(GUILD, ANNA);
  voice.left(GUILD, ANNA);
  voice.left(GUILD, BOT);
  expect(voice.person(OTHER_CHANNEL, ANNA)).toBeNull();
  expect(voice.session(BOT)).toBeNull();
  expect([CHANNEL, OTHER_CHANNEL].map((id) => voice.call(id).participants)).toEqual([[], []]);
});
