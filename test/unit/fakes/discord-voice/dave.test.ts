import { randomInt } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { FakeVoice, type FakeVoiceOptions } from '../../../fakes/discord/voice/fake-voice.ts';
import type { Person } from '../../../fakes/discord/voice/person.ts';
import { TRANSPORT_MODES } from '../../../fakes/discord/voice/transport-cipher.ts';
import { DiscordVoiceBot } from '../../../support/discord-voice-bot.ts';
import { SeededRandom } from '../../../support/seeded-random.ts';
import { retryAudio } from '../../../support/stall-probe.ts';
import { analyzeTone } from '../../../support/tone-analysis.ts';
import { waitFor } from '../../../support/wait-for.ts';

const RATE_HZ = 48_000;
const BOT = '333333333333333333';
const ANNA = '444444444444444444';
const BERT = '555555555555555555';

/** Frames under old keys may be lost for so long after somebody came or went. */
const CHANGE_MS = 1_000;
const retry = retryAudio();

async function startVoice(options: FakeVoiceOptions = {}): Promise<FakeVoice> {
  const voice = await FakeVoice.start(options);
  onTestFinished(() => voice.stop());
  return voice;
}

function newPlace(userId = BOT) {
  return { guildId: snowflake(), channelId: snowflake(), userId };
}

function snowflake(): string {
  return `7${randomInt(1e12, 9e12)}`;
}

function joinBot(voice: FakeVoice, place = newPlace()): DiscordVoiceBot {
  const bot = DiscordVoiceBot.join(voice, place);
  onTestFinished(() => bot.leave());
  return bot;
}

/** Forgets what was heard before, and waits for so many milliseconds of the bot. */
async function hearBot(person: Person, ms: number): Promise<Int16Array> {
  const listener = person.heard(BOT);
  listener.clear();
  await waitFor(`${person.name} hears the bot`, () => listener.frames.length >= ms / 20);
  return listener.samples;
}

function settled(voice: FakeVoice, { place }: DiscordVoiceBot, users: number): Promise<true> {
  const { dave } = voice.call(place.channelId);
  return waitFor(`${users} share the keys`, () => dave.isSettled && dave.users.length === users);
}

test.each(TRANSPORT_MODES)('tones arrive both ways through DAVE and %s', async (mode) => {
  const voice = await startVoice({ modes: [mode] });
  const place = newPlace();
  const anna = voice.addPerson(place.channelId, ANNA, 'Anna');
  const bot = joinBot(voice, place);
  await bot.ready();
  await settled(voice, bot, 2);
  bot.sing(440);
  const byBot = bot.listen(ANNA);
  anna.sing(700);
  const byAnna = await hearBot(anna, 2_000);
  await waitFor('the bot hears Anna', () => byBot.length >= 100);
  const heard = Int16Array.from(byBot.slice(0, 100).flatMap((frame) => [...frame]));
  expect(analyzeTone(byAnna, RATE_HZ, 440).worstSnrDb).toBeGreaterThan(20);
  expect(analyzeTone(heard, RATE_HZ, 700).worstSnrDb).toBeGreaterThan(20);
  expect(voice.session(BOT)?.mode).toBe(mode);
  expect(voice.session(BOT)?.media.packets.at(-1)?.isSilence).toBe(false);
  expect(anna.heard(BOT).speaking.map(({ isSpeaking }) => isSpeaking)).toEqual([true]);
  expect([voice.offences, anna.dave?.failures]).toEqual([[], []]);
});

test('ten people come and go, and the bot is heard throughout', { retry }, async () => {
  const voice = await startVoice();
  const place = newPlace();
  const { channelId } = place;
  const random = new SeededRandom(5);
  const anna = voice.addPerson(channelId, ANNA, 'Anna');
  const bot = joinBot(voice, place);
  await bot.ready();
  await settled(voice, bot, 2);
  bot.sing(440);
  const byBot = bot.listen(ANNA);
  anna.sing(700);
  const guests = Array.from({ length: 10 }, (_, i) => `80000000000000000${i}`);
  const people: Person[] = [anna];
  const present: string[] = [];
  while (guests.length > 0 || present.length > 0) {
    const comes = guests.length > 0 && (present.length === 0 || random.chance(0.6));
    const userId = comes ? guests.pop()! : present.splice(random.below(present.length), 1)[0]!;
    if (comes) {
      const guest = voice.addPerson(channelId, userId, `Guest ${userId.at(-1)}`);
      people.push(guest);
      present.push(userId);
    } else {
      voice.removePerson(channelId, userId);
    }
    await settled(voice, bot, present.length + 2);
    if (comes) await hearBot(voice.person(channelId, userId)!, 200);
  }
  const { changes, dave } = voice.call(channelId);
  const isNearChange = (atMs: number) =>
    changes.some((one) => atMs >= one.atMs && atMs < one.atMs + CHANGE_MS);
  for (const person of people) {
    const late = person.heard(BOT).faults.filter(({ atMs }) => !isNearChange(atMs));
    expect([person.name, late, person.dave?.failures]).toEqual([person.name, [], []]);
  }
  expect(dave.users.toSorted()).toEqual([BOT, ANNA]);
  expect(dave.commits.length).toBeGreaterThan(19);
  const committers = new Set(dave.commits.map(({ userId }) => userId));
  expect([...committers].toSorted()).toEqual([BOT, ANNA]);
  const heard = anna.heard(BOT).frames;
  const gaps = heard.slice(1).map(({ atMs }, i) => atMs - heard[i]!.atMs);
  expect(Math.max(...gaps)).toBeLessThan(500);
  byBot.length = 0;
  await waitFor('the bot hears Anna', () => byBot.length >= 50);
  const samples = Int16Array.from(byBot.flatMap((frame) => [...frame]));
  expect(analyzeTone(samples, RATE_HZ, 700).snrDb).toBeGreaterThan(20);
  expect(voice.offences).toEqual([]);
});

test('a bot alone gets ready for a new group, which works', async () => {
  const voice = await startVoice();
  const place = newPlace();
  const bot = joinBot(voice, place);
  await bot.ready();
  bot.sing(440);
  for (const round of [1, 2]) {
    const anna = voice.addPerson(place.channelId, ANNA, 'Anna');
    await settled(voice, bot, 2);
    const heard = await hearBot(anna, 1_000);
    expect([round, analyzeTone(heard, RATE_HZ, 440).snrDb > 20]).toEqual([round, true]);
    voice.removePerson(place.channelId, ANNA);
    await waitFor('the group is over', () => voice.call(place.channelId).dave.users.length === 0);
  }
  expect(bot.log.filter((line) => line.includes('"op":24')).length).toBe(2);
  expect(voice.offences).toEqual([]);
});

test('an old client makes everybody do without DAVE, and with it they are back', async () => {
  const voice = await startVoice();
  const place = newPlace();
  const anna = voice.addPerson(place.channelId, ANNA, 'Anna');
  const bot = joinBot(voice, place);
  await bot.ready();
  await settled(voice, bot, 2);
  bot.sing(440);
  const { dave } = voice.call(place.channelId);
  const bert = voice.addPerson(place.channelId, BERT, 'Bert', { hasDave: false });
  await waitFor('the downgrade', () => dave.version === 0);
  const plain = await hearBot(bert, 1_000);
  expect(analyzeTone(plain, RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  expect(analyzeTone(await hearBot(anna, 1_000), RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  voice.removePerson(place.channelId, BERT);
  await waitFor('the upgrade', () => dave.version === 1 && dave.users.length === 2 && dave.isSettled);
  expect(analyzeTone(await hearBot(anna, 1_000), RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  expect([voice.offences, anna.dave?.failures]).toEqual([[], []]);
});

test('a bot that comes to an old client begins without DAVE and gets it later', async () => {
  const voice = await startVoice();
  const place = newPlace();
  const anna = voice.addPerson(place.channelId, ANNA, 'Anna');
  voice.addPerson(place.channelId, BERT, 'Bert', { hasDave: false });
  const { dave } = voice.call(place.channelId);
  await waitFor('the downgrade', () => dave.version === 0);
  const bot = joinBot(voice, place);
  await bot.ready();
  bot.sing(440);
  expect(analyzeTone(await hearBot(anna, 1_000), RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  voice.removePerson(place.channelId, BERT);
  await waitFor('the upgrade', () => dave.version === 1 && dave.users.length === 2 && dave.isSettled);
  expect(analyzeTone(await hearBot(anna, 1_000), RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  expect([voice.offences, anna.dave?.failures]).toEqual([[], []]);
});

test.each([
  ['the bot', BOT],
  ['a person', ANNA],
])('%s who gets a commit that cannot be used recovers', async (_who, userId) => {
  const voice = await startVoice();
  const place = newPlace();
  const anna = voice.addPerson(place.channelId, ANNA, 'Anna');
  const bot = joinBot(voice, place);
  await bot.ready();
  await settled(voice, bot, 2);
  bot.sing(440);
  const { dave } = voice.call(place.channelId);
  dave.spoilFor(userId);
  const bert = voice.addPerson(place.channelId, BERT, 'Bert');
  await waitFor('it is reported', () =>
    userId === BOT ? bot.log.some((line) => line.includes('"op":31')) : (anna.dave?.failures.length ?? 0) > 0,
  );
  await settled(voice, bot, 3);
  for (const person of [anna, bert]) {
    expect(analyzeTone(await hearBot(person, 1_000), RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  }
  expect(voice.offences).toEqual([]);
});
