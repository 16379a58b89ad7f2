import { createInterface } from 'node:readline';
import { FakeDiscord } from './fake-discord.ts';

const PORT = 8_093;
const GATEWAY_URL = 'http://127.0.0.1:8080';

/**
 * A Discord of its own on this machine: prints the settings of a gateway that uses it, then the direct messages of one person,
 * Ada. `args`: the gateway's public address, when it is not the usual one.
 */
export async function startFake([gatewayUrl = GATEWAY_URL]: readonly string[]): Promise<void> {
  const discord = await FakeDiscord.start({ port: PORT });
  const ada = discord.addPerson('Ada');
  const bot = discord.addBot({ username: 'gateway', owner: ada, granted: ['messageContent'] });
  bot.redirectUris.add(`${gatewayUrl}/api/oauth/discord/callback`);
  discord.oauth.visitor = ada.user;
  const guild = discord.addGuild("Ada's server", ada);
  discord.install(bot, guild);
  const general = discord.addTextChannel(guild, 'general');
  console.log(`Start the gateway with:

SVC_DISCORD_API_URL=${discord.url}/api SVC_DISCORD_CDN_URL=${discord.url} npm start

and register its bot:

  curl $BASE/api/bot-tokens -H "X-API-Key: $SETTINGS_KEY" \\
    -d '{"platform":"discord","bot_token":"${bot.token}","discord_app_id":"${bot.applicationId}"}'

These make it the bot that all accounts share instead:

SVC_DISCORD_BOT_TOKEN=${bot.token}
SVC_DISCORD_APPLICATION_ID=${bot.applicationId}
SVC_DISCORD_CLIENT_SECRET=${bot.clientSecret}

Then write here what Ada writes to the bot. A line that starts with # goes to the channel of her server and mentions it.
`);
  const shown = new Set<string>();
  discord.world.follow(() => {
    const written = [...ada.received(bot), ...general.messages].filter(({ author }) => author === bot.user);
    for (const { id, content, attachments } of written) {
      if (shown.has(id)) continue;
      shown.add(id);
      console.log(`  ${[content, ...attachments.map(({ name }) => `[${name}]`)].join(' ')}`);
    }
  });
  for await (const line of createInterface({ input: process.stdin })) {
    if (line.startsWith('#')) ada.mentions(bot, general, line.slice(1).trim());
    else if (line !== '') ada.writes(bot, line);
  }
  await discord.stop();
}
