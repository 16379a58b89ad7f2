import { Client, type Message } from 'oceanic.js';
import { expect, onTestFinished, test } from 'vitest';
import { FakeDiscord, type FakeDiscordOptions } from '../../../fakes/discord/fake-discord.ts';
import { waitFor } from '../../../support/wait-for.ts';

/** A bot written with oceanic.js, on the fake, in a guild with Ada. The library sends no user agent of its own. */
async function oceanicBot(options: FakeDiscordOptions = {}) {
  const discord = await FakeDiscord.start({ takesAnyUserAgent: true, ...options });
  const bot = discord.addBot({ granted: ['messageContent'] });
  const ada = discord.addPerson('Ada');
  const guild = discord.addGuild('Analysts', ada);
  discord.install(bot, guild);
  const channel = discord.addTextChannel(guild, 'general');
  const client = new Client({
    auth: `Bot ${bot.token}`,
    rest: { baseURL: `${discord.url}/api/v10` },
    gateway: { intents: ['GUILDS', 'GUILD_MESSAGES', 'DIRECT_MESSAGES', 'MESSAGE_CONTENT'], compress: false },
  });
  const errors: unknown[] = [];
  client.on('error', (error) => errors.push(error));
  onTestFinished(async () => {
    client.disconnect(false);
    await discord.stop();
  });
  await client.connect();
  await waitFor('READY', () => client.ready);
  return { discord, bot, ada, guild, channel, client, errors };
}

test('oceanic.js logs in and carries direct messages both ways', async () => {
  const { bot, ada, client } = await oceanicBot();
  client.on('messageCreate', async (message: Message) => {
    if (message.author.id === client.user.id) return;
    await client.rest.channels.createMessage(message.channelID, { content: `you said ${message.content}` });
  });
  ada.writes(bot, 'hello');
  await waitFor('an answer', () => ada.received(bot).length === 1);
  expect(ada.received(bot)[0]?.content).toBe('you said hello');
});
