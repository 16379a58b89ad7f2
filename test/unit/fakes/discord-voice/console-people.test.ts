import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { FakeDiscord } from '../../../fakes/discord/fake-discord.ts';
import { ConsolePeople } from '../../../fakes/discord/voice/console-people.ts';
import { FakeVoice } from '../../../fakes/discord/voice/fake-voice.ts';
import type { FakeChannel } from '../../../fakes/discord/world/channel.ts';
import { DiscordVoiceBot } from '../../../support/discord-voice-bot.ts';
import { Tone } from '../../../support/tone.ts';
import { analyzeTone } from '../../../support/tone-analysis.ts';
import { waitFor } from '../../../support/wait-for.ts';
import { readMonoWav, writeWav } from '../../../support/wav.ts';

const BOT_ID = '200000000000000001';
const RATE_HZ = 48_000;

let folder: string;
let voice: FakeVoice;
let discord: FakeDiscord;
let channel: FakeChannel;
let people: ConsolePeople;
let bot: DiscordVoiceBot;
let told: string[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-people-'));
  voice = await FakeVoice.start();
  discord = await FakeDiscord.start({ voice });
  channel = discord.addVoiceChannel(discord.addGuild('Harbour', discord.addPerson('Owner')), 'Bridge');
  told = [];
  people = new ConsolePeople({ discord, voice, channel, botId: BOT_ID, tell: (line) => told.push(line) });
  bot = DiscordVoiceBot.join(voice, { guildId: channel.guildId!, channelId: channel.id, userId: BOT_ID });
  await bot.ready();
});
afterEach(async () => {
  bot.leave();
  await voice.stop();
  await discord.stop();
  rmSync(folder, { recursive: true });
});

const inside = () => [...discord.world.guildOf(channel)!.voiceStates.keys()];

it('come in, speak a WAV of any rate, write what they heard, and leave', async () => {
  const said = new Int16Array(8_000 * 2);
  new Tone(440, 8_000, 0.3).fill(said);
  writeWav(join(folder, 'said.wav'), { sampleRateHz: 8_000, channels: [said] });
  expect(people.take(`Ben speaks ${join(folder, 'said.wav')}`)).toBe(true);
  const [ben] = inside();
  const heard = bot.listen(ben!);
  bot.sing(880);
  await waitFor('the end', () => told.includes('Ben has finished'), 10_000);
  const samples = Int16Array.from(heard.flatMap((frame) => [...frame]));
  expect(analyzeTone(samples, RATE_HZ, 440).snrDb).toBeGreaterThan(20);
  people.take(`Ben heard ${join(folder, 'heard.wav')}`);
  const written = readMonoWav(join(folder, 'heard.wav'));
  expect(analyzeTone(written.samples, written.sampleRateHz, 880).snrDb).toBeGreaterThan(20);
  people.take('Ben leaves');
  expect(inside()).toEqual([]);
});

it('say what is wrong with a file, and leave other lines alone', () => {
  expect(people.take('Ben speaks /nowhere.wav')).toBe(true);
  expect(told).toEqual([expect.stringContaining('ENOENT')]);
  expect(inside()).toEqual([]);
  expect(people.take('Ben leaves')).toBe(true);
  expect(people.take('hello Ben')).toBe(false);
});
