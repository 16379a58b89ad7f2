import { createInterface } from 'node:readline';
import { FakeDiscord } from './fake-discord.ts';
import { ConsolePeople } from './voice/console-people.ts';
import { FakeVoice } from './voice/fake-voice.ts';

const PORT = 8_093;
const GATEWAY_URL = 'http://127.0.0.1:8080';

/**
 * A Discord of its own on this machine, with voice servers: prints the settings of a gateway that uses it, then the direct
 * messages of one person, Ada. `args`: the gateway's public address, when it is not the usual one.
 */
export async function startFake([gatewayUrl = GATEWAY_URL]: readonly string[]): Promise<void> {
  const voice = await FakeVoice.start();
  const discord = await FakeDiscord.start({ port: PORT, voice });
  const ada = discord.addPerson('Ada');
  const bot = discord.addBot({ username: 'gateway', owner: ada, granted: ['messageContent'] });
  bot.redirectUris.add(`${gatewayUrl}/api/oauth/discord/callback`);
  discord.oauth.visitor = ada.user;
  const guild = discord.addGuild("Ada's server", ada);
  discord.install(bot, guild);
  const general = discord.addTextChannel(guild, 'general');
  const channel = discord.addVoiceChannel(guild, 'Bridge');
  const tell = (line: string) => console.log(`  ${line}`);
  const people = new ConsolePeople({ discord, voice, channel, botId: bot.id, tell });
  console.log(`Start the gateway with:

SVC_DISCORD_API_URL=${discord.url}/api SVC_DISCORD_CDN_URL=${discord.url} NODE_EXTRA_CA_CERTS=${voice.caFile} npm start

and register its bot:

  curl $BASE/api/bot-tokens -H "X-API-Key: $SETTINGS_KEY" \\
    -d '{"platform":"discord","bot_token":"${bot.token}","discord_app_id":"${bot.applicationId}"}'

These make it the bot that all accounts share instead:

SVC_DISCORD_BOT_TOKEN=${bot.token}
SVC_DISCORD_APPLICATION_ID=${bot.applicationId}
SVC_DISCORD_CLIENT_SECRET=${bot.clientSecret}

Then write here what Ada writes to the bot. A line that starts with # goes to the channel of her server and mentions it.

A call in the voice channel of her server:

  curl $BASE/api/call -H "X-API-Key: $AGENT_KEY" \\
    -d '{"platform":"discord","meeting_url":"https://discord.com/channels/${guild.id}/${channel.id}"}'

Lines that say who is there, each with a name of yours:

  Ben speaks bench/demo/hello.wav      comes in, and speaks a recording (mono, 16 bits)
  Ben heard heard.wav                  writes the last minute of what the bot said
  Ben leaves
`);
  const shown = new Set<string>();
  discord.world.follow(() => {
    const written = [...ada.received(bot), ...general.messages, ...channel.messages];
    for (const { id, author, content, attachments } of written) {
      if (author !== bot.user || shown.has(id)) continue;
      shown.add(id);
      tell([content, ...attachments.map(({ name }) => `[${name}]`)].join(' '));
    }
  });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.startsWith('#')) ada.mentions(bot, general, line.slice(1).trim());
    else if (!people.take(line) && line !== '') ada.writes(bot, line);
  }
  await voice.stop();
  await discord.stop();
}
