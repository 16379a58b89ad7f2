import { afterAll, beforeAll, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import { FakeDiscord } from '../fakes/discord/fake-discord.ts';
import { USUAL_LIMITS } from '../fakes/discord/rest/rate-limits.ts';
import { Gateway } from '../support/gateway.ts';
import { waitFor } from '../support/wait-for.ts';

let discord: FakeDiscord;
let gateway: Gateway;

beforeAll(async () => {
  discord = await FakeDiscord.start({
    identifyWindowMs: 100,
    rateLimits: { ...USUAL_LIMITS, createMessage: { count: 50, windowMs: 1_000 } },
  });
  gateway = await Gateway.start({
    env: {
      SVC_DM_TIMEOUT_TEXT: 'off',
      SVC_DISCORD_BOTS: 'hear',
      SVC_DISCORD_API_URL: `${discord.url}/api`,
      SVC_DISCORD_CDN_URL: discord.url,
    },
  });
});
afterAll(async () => {
  await gateway?.stop();
  await discord?.stop();
});

async function says({ token }: FakeBot, channelId: string, content: string): Promise<void> {
  const { status } = await fetch(`${discord.url}/api/v10/channels/${channelId}/messages`, {
    method: 'POST',
    headers: {
      authorization: `Bot ${token}`,
      'content-type': 'application/json',
      'user-agent': 'DiscordBot (https://test.example, 1)',
    },
    body: JSON.stringify({ content }),
  });
  expect(status).toBe(200);
}

/** How many messages were not heard. */
async function unheard(): Promise<number> {
  const metrics = String((await gateway.api(null).get('/metrics')).body);
  const found = /^svc_messenger_events_total\{.*event="bot_unheard".*\} (\d+)/m.exec(metrics);
  return Number(found?.[1] ?? 0);
}

/** Returns the id of the conversation in which somebody has written this. */
async function conversationWith(text: string): Promise<string | undefined> {
  const { conversations } = (await gateway.agentApi.get('/api/inbox?platform=discord')).body;
  return conversations.find((each: { messages: { text: string }[] }) =>
    each.messages.some((message) => message.text.endsWith(text)),
  )?.conversation_id;
}

it('another bot that answers at once is answered ten times, and the owner is told once', async () => {
  const olga = discord.addPerson('Olga');
  const guild = discord.addGuild('Home', olga);
  const general = discord.addTextChannel(guild, 'general');
  const own = discord.addBot({ username: 'own_bot' });
  const other = discord.addBot({ username: 'other_bot' });
  for (const bot of [own, other]) discord.install(bot, guild);
  gateway.secrets.add(own.token);
  const body = { platform: 'discord', bot_token: own.token, discord_app_id: own.applicationId };
  expect((await gateway.settingsApi.post('/api/bot-tokens', body)).status).toBe(200);

  let cursor: string = (await gateway.agentApi.get('/api/inbox')).body.cursor;
  const heard = async () => {
    const path = `/api/inbox?platform=discord&wait=10&last_message_cursor=${encodeURIComponent(cursor)}`;
    const news = (await gateway.agentApi.get(path)).body;
    cursor = news.cursor;
    return news.conversations[0];
  };
  olga.writes(own, 'hello');
  const { conversation_id } = await heard();
  await gateway.settingsApi.post('/api/platforms/discord/owner', { conversation_id });

  let answers = 0;
  while (answers < 12 && (await unheard()) === 0) {
    const text = `and again ${answers}`;
    await says(other, general.id, `<@${own.id}> ${text}`);
    const told = async () => await conversationWith(text);
    const decided = await waitFor(
      'the message',
      async () => (await told()) ?? ((await unheard()) > 0 && 'unheard'),
    );
    if (decided === 'unheard') break;
    const sent = { platform: 'discord', conversation_id: decided, text: `answer ${answers}` };
    expect((await gateway.agentApi.post('/api/dm/chat', sent)).status).toBe(200);
    answers += 1;
  }
  expect(answers).toBe(10);
  const notices = () =>
    olga.received(own).filter(({ content }) => content.includes('answered each other 10 times'));
  await waitFor('the notice', () => notices().length === 1);
  await says(other, general.id, `<@${own.id}> and again`);
  await waitFor('the second one', async () => (await unheard()) === 2);
  expect(notices()).toHaveLength(1);
  olga.mentions(own, general, 'What is this?');
  await waitFor('the person to be heard', async () =>
    (await heard()).messages.at(-1).text.includes('What is this?'),
  );
});
