import { expect, onTestFinished, test } from 'vitest';
import { FakeVoice } from '../../../fakes/discord/voice/fake-voice.ts';
import { FaultyPath, type NetworkFaults } from '../../../fakes/discord/voice/udp-faults.ts';
import { DiscordVoiceBot } from '../../../support/discord-voice-bot.ts';
import { waitFor } from '../../../support/wait-for.ts';

const PLACE = {
  guildId: '111111111111111111',
  channelId: '222222222222222222',
  userId: '333333333333333333',
};
const ANNA = '444444444444444444';

/** What becomes of the numbers 0 to `count` - 1 on a path, once all timers have run. */
async function passed(faults: NetworkFaults, count: number): Promise<number[]> {
  const path = new FaultyPath(faults);
  const arrived: number[] = [];
  for (let i = 0; i < count; i++) path.pass(() => arrived.push(i));
  let before = -1;
  await waitFor('the last one', () => {
    const isStill = arrived.length === before;
    before = arrived.length;
    return isStill;
  });
  path.close();
  return arrived;
}

test('a path without faults delivers everything in order', async () => {
  expect(await passed({ seed: 1 }, 5)).toEqual([0, 1, 2, 3, 4]);
});

test('loss, duplicates and reordering come in the asked shares, and the seed repeats them', async () => {
  const lost = await passed({ seed: 1, loss: 0.05 }, 2_000);
  expect(lost.length).toBeGreaterThan(1_860);
  expect(lost.length).toBeLessThan(1_940);
  expect(await passed({ seed: 1, loss: 0.05 }, 2_000)).toEqual(lost);
  expect(await passed({ seed: 2, loss: 0.05 }, 2_000)).not.toEqual(lost);
  const doubled = await passed({ seed: 1, duplicates: 0.1 }, 1_000);
  expect(doubled.length).toBeGreaterThan(1_060);
  expect(new Set(doubled).size).toBe(1_000);
  const reordered = await passed({ seed: 1, reordering: 0.1 }, 1_000);
  expect(reordered.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, i) => i));
  const overtaken = reordered.filter((number, i) => i > 0 && number < reordered[i - 1]!);
  expect(overtaken.length).toBeGreaterThan(60);
});

test('jitter lets datagrams overtake each other, and loses none', async () => {
  const arrived = await passed({ seed: 3, jitterMs: 40 }, 200);
  expect(arrived.length).toBe(200);
  expect(arrived).not.toEqual(arrived.toSorted((a, b) => a - b));
});

test('a person hears a bot over a bad network, and what is missing counts as lost', async () => {
  const voice = await FakeVoice.start();
  onTestFinished(() => voice.stop());
  const anna = voice.addPerson(PLACE.channelId, ANNA, 'Anna');
  const bot = DiscordVoiceBot.join(voice, PLACE);
  onTestFinished(() => bot.leave());
  await bot.ready();
  const call = voice.call(PLACE.channelId);
  await waitFor('common keys', () => call.isSettled && call.dave.users.length === 2);
  voice.server.media.fault({ seed: 7, loss: 0.05, duplicates: 0.05, reordering: 0.05, jitterMs: 30 }, null);
  bot.sing(440);
  const { frames, faults } = anna.heard(PLACE.userId);
  await waitFor('five seconds', () => frames.length >= 250);
  const kinds = new Set(faults.map(({ kind }) => kind));
  expect([...kinds]).toEqual(['lost']);
  expect(faults.length).toBeGreaterThan(2);
  expect(faults.length).toBeLessThan(40);
});
