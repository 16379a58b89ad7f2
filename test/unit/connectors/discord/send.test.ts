import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { OutboundFile, SendOutcome } from '../../../../src/connectors/contract/messenger.ts';
import type { FakeBot } from '../../../fakes/discord/fake-bot.ts';
import type { FakeDiscord } from '../../../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../../../fakes/discord/fake-person.ts';
import type { Fault } from '../../../fakes/discord/refusal.ts';
import { type Connected, connect, startFake } from './discord-setup.ts';

let discord: FakeDiscord;
let bot: FakeBot;
let ada: FakePerson;
let subject: Connected;

beforeEach(async () => {
  discord = await startFake();
  bot = discord.addBot();
  ada = discord.addPerson('Ada');
  discord.install(bot, discord.addGuild('Home', ada));
  subject = connect(discord);
  await subject.connector.provides.bots!.addBot({
    id: 'bot_1',
    accountId: 'acc_a',
    token: bot.token,
    appId: bot.applicationId,
  });
});
afterEach(async () => {
  await subject.connector.close();
  await discord.stop();
});

async function send(
  text: string,
  attachments: OutboundFile[] = [],
  messageId = 'msg_1',
): Promise<SendOutcome> {
  const login = { kind: 'bot_token', id: 'bot_1' } as const;
  const to = { login, space: { kind: 'direct', id: ada.id }, thread: null, person: ada.id } as const;
  const message = { messageId, to, text, attachments };
  return await subject.connector.provides.messenger!.send(message, AbortSignal.timeout(20_000));
}

function file(name: string, sizeBytes = 1_000): OutboundFile {
  const bytes = Buffer.alloc(sizeBytes, name);
  return {
    name,
    mime: 'application/octet-stream',
    sizeBytes,
    open: async function* () {
      yield bytes;
    },
  };
}

const texts = () => ada.received(bot).map(({ content }) => content);
const refusal = (status: number, code: number, message: string): Fault => ({
  kind: 'refuse',
  status,
  code,
  message,
});

describe('sending', () => {
  it('a message twice shows it once', async () => {
    const first = await send('once');
    expect(await send('once')).toEqual(first);
    expect(texts()).toEqual(['once']);
    await send('another', [], 'msg_2');
    expect(texts()).toEqual(['once', 'another']);
  });

  it('a message whose answer is lost shows it once, and knows its id', async () => {
    discord.fail(
      'createMessage',
      { kind: 'drop', isDone: true },
      { kind: 'gateway', status: 502, isDone: true },
    );
    const outcome = await send('lost');
    expect(outcome).toEqual({ kind: 'sent', platformMessageIds: [ada.received(bot)[0]!.id] });
    expect(texts()).toEqual(['lost']);
  });

  it('mentions nobody, whatever the agent writes', async () => {
    await send(`@everyone and <@${ada.id}>`);
    const [{ mentions }] = [ada.received(bot)[0]!];
    expect([mentions.users, mentions.isEveryone]).toEqual([[], false]);
  });

  it('many files makes as few messages as Discord allows', async () => {
    const outcome = await send(
      'all of it',
      Array.from({ length: 12 }, (_, n) => file(`f${n}.bin`)),
    );
    expect(outcome).toMatchObject({
      kind: 'sent',
      platformMessageIds: [expect.any(String), expect.any(String)],
    });
    const received = ada.received(bot);
    expect(received.map(({ attachments }) => attachments.length)).toEqual([10, 2]);
    expect(received.map(({ content }) => content)).toEqual(['all of it', '']);
    expect(received[1]!.attachments[1]!.bytes.toString('utf8', 0, 7)).toBe('f11.bin');
  });

  it('a file that is too large is refused in Discord’s words', async () => {
    const outcome = await send('huge', [file('huge.bin', 11 * 1_024 * 1_024)]);
    expect(outcome).toMatchObject({
      kind: 'refused',
      reason: 'Request entity too large (40005)',
      isAddressGone: false,
    });
  });

  it('to somebody who cannot be reached closes their conversation', async () => {
    ada.writes(bot, 'hello');
    ada.blocks(bot);
    expect(await send('hello?')).toEqual({
      kind: 'refused',
      reason: 'Cannot send messages to this user (50007)',
      isAddressGone: true,
    });
  });

  it.each([
    [refusal(400, 50_006, 'Cannot send an empty message'), { kind: 'refused', isAddressGone: false }],
    [refusal(403, 50_013, 'Missing Permissions'), { kind: 'refused', isAddressGone: false }],
    [refusal(403, 50_001, 'Missing Access'), { kind: 'refused', isAddressGone: true }],
    [refusal(404, 10_003, 'Unknown Channel'), { kind: 'refused', isAddressGone: true }],
    [refusal(403, 50_278, 'Cannot send messages to this user'), { kind: 'refused', isAddressGone: true }],
    [
      refusal(400, 240_000, 'Message blocked by harmful links filter'),
      { kind: 'refused', isAddressGone: false },
    ],
    [refusal(400, 20_009, 'Explicit content cannot be sent'), { kind: 'refused', isAddressGone: false }],
    [refusal(403, 40_003, 'You are opening direct messages too fast'), { kind: 'later', afterMs: 5_000 }],
    [refusal(503, 130_000, 'API resource is currently overloaded'), { kind: 'unknown' }],
  ])(
    'that Discord refuses with %j has its outcome',
    async (fault, outcome) => {
      discord.fail('createMessage', fault, fault, fault);
      expect(await send('x')).toMatchObject(outcome);
    },
    20_000,
  );

  it('faster than Discord allows is put off, not queued', async () => {
    const outcomes = await Promise.all(Array.from({ length: 8 }, (_, n) => send(`${n}`, [], `msg_${n}`)));
    const later = outcomes.filter(({ kind }) => kind === 'later');
    expect([later.length, texts().length]).toEqual([3, 5]);
    for (const outcome of later) expect(outcome).toMatchObject({ afterMs: expect.any(Number) });
    expect(subject.counts.get('throttled')).toBe(3);
  });

  it('is put off as long as Discord says', async () => {
    discord.fail('createMessage', { kind: 'throttle', retryAfterS: 7 });
    const outcome = await send('x');
    expect(outcome).toMatchObject({ kind: 'later', afterMs: expect.any(Number) });
    expect((outcome as { afterMs: number }).afterMs).toBeGreaterThanOrEqual(7_000);
  });

  it('counts characters as Discord does', () => {
    const { checkText } = subject.connector.provides.messenger!;
    expect(() =>
      checkText.call(subject.connector.provides.messenger!, '😀'.repeat(2_000), false),
    ).not.toThrow();
    expect(() => checkText.call(subject.connector.provides.messenger!, 'a'.repeat(2_001), false)).toThrow(
      'the message is too long for Discord: 2001 characters, at most 2000',
    );
  });
});
