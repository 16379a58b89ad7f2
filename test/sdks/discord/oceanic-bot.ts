import { Client } from 'oceanic.js';
import { onTestFinished } from 'vitest';
import { FakeDiscord, type FakeDiscordOptions } from '../../fakes/discord/fake-discord.ts';
import { within } from '../../support/wait-for.ts';

/** Limits that no test of something else runs into. */
const NO_PACE = { identifyWindowMs: 0 } as const;

/** A guild with Ada, a bot and a text channel. */
export async function startWorld(options: FakeDiscordOptions = {}) {
  const discord = await FakeDiscord.start({ ...NO_PACE, ...options });
  onTestFinished(() => discord.stop());
  const bot = discord.addBot({ granted: ['messageContent'] });
  const ada = discord.addPerson('Ada');
  const guild = discord.addGuild('Analysts', ada);
  discord.install(bot, guild);
  const channel = discord.addTextChannel(guild, 'general');
  return { discord, bot, ada, guild, channel };
}

export const ALL_INTENTS = [
  'GUILDS',
  'GUILD_MESSAGES',
  'GUILD_MESSAGE_TYPING',
  'GUILD_VOICE_STATES',
  'DIRECT_MESSAGES',
  'DIRECT_MESSAGE_TYPING',
  'MESSAGE_CONTENT',
] as const;

/** The same with the bot logged in by oceanic.js, which sends no user agent of its own. */
export async function startOceanic(
  options: FakeDiscordOptions = {},
  intents: readonly (typeof ALL_INTENTS)[number][] = ALL_INTENTS,
) {
  const world = await startWorld({ takesAnyUserAgent: true, ...options });
  const client = new Client({
    auth: `Bot ${world.bot.token}`,
    rest: { baseURL: `${world.discord.url}/api/v10` },
    gateway: { intents: [...intents], compress: false },
  });
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  onTestFinished(() => client.disconnect(false));
  const ready = new Promise<void>((resolve) => client.once('ready', resolve));
  await client.connect();
  await within('READY', ready);
  return { ...world, client, errors };
}
