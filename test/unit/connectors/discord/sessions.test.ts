import { GatewayCloseCodes as Close } from 'discord-api-types/v10';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FakeBot } from '../../../fakes/discord/fake-bot.ts';
import type { FakeDiscord } from '../../../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../../../fakes/discord/fake-person.ts';
import { MemoryRecords } from '../../../support/memory-records.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { type Connected, connect, MemoryIntake, SPEED, startFake } from './discord-setup.ts';

let discord: FakeDiscord;
let bot: FakeBot;
let ada: FakePerson;
let records: MemoryRecords;
let intake: MemoryIntake;
const open: Connected[] = [];

beforeEach(async () => {
  discord = await startFake({ heartbeatMs: 200 * SPEED });
  bot = discord.addBot();
  ada = discord.addPerson('Ada');
  discord.install(bot, discord.addGuild('Home', ada));
  records = new MemoryRecords();
  intake = new MemoryIntake();
});
afterEach(async () => {
  for (const { connector } of open.splice(0)) await connector.close();
  await discord.stop();
});

async function start(status: unknown = 'ok'): Promise<Connected> {
  const subject = connect(discord, { records, intake });
  open.push(subject);
  const state = await subject.connector.provides.bots!.addBot({
    id: 'bot_1',
    accountId: 'acc_a',
    token: bot.token,
    appId: bot.applicationId,
  });
  expect(state.status).toEqual(status);
  return subject;
}

async function isHeard(text: string): Promise<void> {
  ada.writes(bot, text);
  await waitFor(text, () => intake.texts.includes(text));
}

const identifies = () => 1_000 - bot.identifiesLeft;

describe('a session', () => {
  it('is resumed by the next process, which is told what it missed', async () => {
    const first = await start();
    await isHeard('one');
    await first.connector.close();
    ada.writes(bot, 'two');
    ada.writes(bot, 'three');
    await start();
    await isHeard('four');
    expect(intake.texts).toEqual(['one', 'two', 'three', 'four']);
    expect(identifies()).toBe(1);
  });

  it('is kept apart from those of other bots', async () => {
    const other = discord.addBot({ username: 'other' });
    const { connector } = await start();
    await connector.provides.bots!.addBot({
      id: 'bot_2',
      accountId: 'acc_a',
      token: other.token,
      appId: other.applicationId,
    });
    await waitFor('both sessions', () => records.of('session').length === 2);
    const [one, two] = records.of<{ sessionId: string }>('session').map(({ sessionId }) => sessionId);
    expect(one === two && one !== undefined).toBe(false);
    discord.gateway.faults.drop(bot);
    discord.gateway.faults.drop(other);
    await waitFor(
      'both to be back',
      () => [...discord.gateway.sockets].filter(({ session }) => session).length === 2,
    );
    expect(other.identifiesLeft).toBe(999);
    await isHeard('still there');
  });

  it.each([
    ['op 7', () => discord.gateway.faults.reconnect(bot)],
    ['op 9 with true', () => discord.gateway.faults.invalidate(bot, true)],
    ['a broken connection', () => discord.gateway.faults.drop(bot)],
    ['unknown error', () => discord.gateway.faults.close(bot, Close.UnknownError)],
    ['rate limited', () => discord.gateway.faults.close(bot, Close.RateLimited)],
  ])('survives %s by resuming', async (_name, disturb) => {
    await start();
    await isHeard('before');
    disturb();
    ada.writes(bot, 'meanwhile');
    await isHeard('after');
    expect(intake.texts).toEqual(['before', 'meanwhile', 'after']);
    expect(identifies()).toBe(1);
  });

  it.each([
    ['op 9 with false', () => discord.gateway.faults.invalidate(bot, false)],
    ['session timed out', () => forgotten(Close.SessionTimedOut)],
    ['invalid seq', () => forgotten(Close.InvalidSeq)],
  ])('ends with %s, and the gap is read from history in order', async (_name, end) => {
    await start();
    await isHeard('before');
    end();
    for (let n = 0; n < 120; n++) ada.writes(bot, `missed ${n}`);
    await waitFor('the new session', () => identifies() === 2);
    await isHeard('after');
    const missed = Array.from({ length: 120 }, (_, n) => `missed ${n}`);
    expect(intake.texts).toEqual(['before', ...missed, 'after']);
  });

  it('that never answers heartbeats is replaced', async () => {
    await start();
    discord.gateway.acknowledges = false;
    const [former] = discord.gateway.sockets;
    await waitFor('another connection', () => ![...discord.gateway.sockets].includes(former!));
    discord.gateway.acknowledges = true;
    await isHeard('over the new one');
    expect(identifies()).toBe(1);
  });

  it('repeats an event that could not be stored, and keeps the order', async () => {
    await start();
    let failures = 2;
    intake.before = async ({ text }) => {
      if (text === 'hard' && failures-- > 0) throw new Error('the disk says no');
    };
    ada.writes(bot, 'hard');
    await isHeard('easy');
    expect(intake.texts).toEqual(['hard', 'easy']);
    expect(open[0]!.counts.get('event_failed')).toBe(2);
  });
});

function forgotten(code: Close): void {
  const sockets = [...discord.gateway.sockets];
  discord.gateway.faults.forget(bot);
  for (const socket of sockets) socket.close(code);
}

describe('a login', () => {
  it('with a dead token says so in Discord’s words, and asks once', async () => {
    await start();
    bot.isRevoked = true;
    discord.gateway.faults.close(bot, Close.AuthenticationFailed);
    const [{ connector }] = [open[0]!];
    const outcome = async () =>
      await connector.provides.messenger!.send(
        {
          messageId: 'msg_1',
          text: 'x',
          attachments: [],
          to: {
            login: { kind: 'bot_token', id: 'bot_1' },
            space: { kind: 'direct', id: ada.id },
            thread: null,
            person: ada.id,
          },
        },
        AbortSignal.timeout(5_000),
      );
    await waitFor('the refusal', async () => (await outcome()).kind === 'refused');
    expect(await outcome()).toMatchObject({ kind: 'refused', reason: '401: Unauthorized' });
    const asked = discord.requests.length;
    for (let n = 0; n < 20; n++) await outcome();
    expect(discord.requests.length - asked).toBeLessThanOrEqual(1);
  });

  it('waits when Discord allows no more sessions today', async () => {
    bot.sessionStartLimit(Date.now());
    bot.identifiesLeft = 0;
    await start(expect.stringMatching(/^No sessions left at Discord for the next \d+ minutes$/));
    expect(bot.isRevoked).toBe(false);
  });

  it('names an intent that was switched off, and goes on without it', async () => {
    bot.granted.add('messageContent');
    await start();
    bot.granted.clear();
    forgotten(Close.DisallowedIntents);
    await waitFor('the new session', () => identifies() === 2);
    await isHeard('direct messages need none');
  });
});
