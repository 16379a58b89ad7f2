import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { FakeBot } from '../fakes/discord/fake-bot.ts';
import { FakeDiscord } from '../fakes/discord/fake-discord.ts';
import type { FakePerson } from '../fakes/discord/fake-person.ts';
import { Gateway } from '../support/gateway.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import { KilledTalk } from '../support/killed-talk.ts';
import { waitFor } from '../support/wait-for.ts';

/** For more kills: `DISCORD_KILLS=1000`. */
const KILLS = Number(process.env.DISCORD_KILLS ?? 4);
/** In each direction, while the gateway is up. A bot may make 50 requests a second, and each answer needs two. */
const MESSAGES_PER_SECOND = 20;
const PEOPLE = 20;
const MOST_UNANSWERED = 50;
/** Most are short and end while the gateway is still recovering; in the long ones it runs at full speed. */
const LONGEST_LIFE_MS = 2_000;
/** Of every tenth session nothing is left when the gateway is back: what was written has to be read from history. */
const FORGETS_EACH = 10;
/** Discord drops duplicates for two minutes. What is older and may have arrived is not sent again, but in doubt. */
const OLDEST_MS = 60_000;
const NO_LIMITS = {
  global: { count: 1_000, windowMs: 1_000 },
  createMessage: { count: 1_000, windowMs: 1_000 },
  getMessages: { count: 1_000, windowMs: 1_000 },
};

let discord: FakeDiscord;
let bot: FakeBot;
let people: FakePerson[];
let gateway: Gateway;

beforeEach(async () => {
  discord = await FakeDiscord.start({ rateLimits: NO_LIMITS, identifyWindowMs: 10 });
  bot = discord.addBot();
  gateway = await Gateway.start({
    env: { SVC_DISCORD_API_URL: `${discord.url}/api`, SVC_DM_TIMEOUT_TEXT: 'off' },
  });
  gateway.secrets.add(bot.token);
  const { status, body } = await gateway.settingsApi.post('/api/bot-tokens', {
    platform: 'discord',
    bot_token: bot.token,
    discord_app_id: bot.applicationId,
  });
  expect([status, body.status]).toEqual([200, 'ok']);
  const guild = discord.addGuild('Kills', discord.addPerson('Olga'));
  discord.install(bot, guild);
  people = Array.from({ length: PEOPLE }, (_, i) => discord.addPerson(`Person ${i}`));
  for (const person of people) person.joins(guild);
});
afterEach(async () => {
  await gateway?.stop();
  await discord?.stop();
});

interface Row {
  readonly text: string;
  readonly direction: string;
  readonly status: string;
}

function rows(): Row[] {
  return readGatewayRows<Row>(
    gateway.dataFolder,
    'select text, direction, status from messages order by seq',
  );
}

/** The age of the oldest message that is being sent; 0: there is none. */
function oldestUnderWayMs(): number {
  const [oldest] = readGatewayRows<{ createdAt: string }>(
    gateway.dataFolder,
    "select created_at as createdAt from messages where status = 'sending' order by seq limit 1",
  );
  return oldest ? Date.now() - Date.parse(oldest.createdAt) : 0;
}

/** The ids of the conversations, by person. */
async function conversations(): Promise<Map<string, string>> {
  return await waitFor('a conversation with everybody', async () => {
    const found = readGatewayRows<{ id: string; person: string }>(
      gateway.dataFolder,
      'select id, remote_id as person from conversations',
    );
    return found.length === PEOPLE ? new Map(found.map(({ id, person }) => [person, id])) : null;
  });
}

it('loses and duplicates no message in either direction under kill -9', async () => {
  for (const person of people) person.writes(bot, 'Hello');
  const ids = await conversations();
  const talk = new KilledTalk({
    gateway,
    platform: 'discord',
    people: people.map((person) => ({
      says: (text) => void person.writes(bot, text),
      conversationId: ids.get(person.id)!,
    })),
    messagesPerSecond: MESSAGES_PER_SECOND,
    mostUnanswered: MOST_UNANSWERED,
  });
  for (let kill = 0; kill < KILLS; kill++) {
    const life = { isOver: false };
    const talking = talk.during(life, `${kill}`);
    await wait(100 + Math.random() ** 3 * LONGEST_LIFE_MS);
    life.isOver = oldestUnderWayMs() >= OLDEST_MS;
    await waitFor('what earlier lives have left', () => oldestUnderWayMs() < OLDEST_MS, 120_000);
    await gateway.killHard();
    life.isOver = true;
    await talking;
    if (kill % FORGETS_EACH === FORGETS_EACH - 1)
      for (const session of discord.gateway.sessionsOf(bot)) discord.gateway.end(session);
    await gateway.restart();
  }
  const inbound = () =>
    rows().filter(({ direction, text }) => direction === 'inbound' && text.startsWith('in '));
  await waitFor('all that was said', () => inbound().length >= talk.said.length, 60_000);
  const heard = inbound().map(({ text }) => text);
  expect(heard.toSorted()).toEqual(talk.said.toSorted());

  await waitFor('nothing to be on its way', () => oldestUnderWayMs() === 0, 60_000);
  const received = people
    .flatMap((person) => person.received(bot).map(({ content }) => content))
    .filter((text) => text.startsWith('out '));
  const receivedOnce = new Set(received);
  expect(receivedOnce.size).toBe(received.length);
  expect(talk.accepted.filter((text) => !receivedOnce.has(text))).toEqual([]);
  const statuses = new Map(rows().map(({ text, status }) => [text, status]));
  expect(talk.accepted.filter((text) => statuses.get(text) !== 'delivered')).toEqual([]);
  // Discord drops duplicates, so what was being sent is sent again, and nothing is in doubt.
  const inDoubt = received.filter((text) => statuses.get(text) !== 'delivered');
  expect(inDoubt.map((text) => `${text} is ${statuses.get(text)}`)).toEqual([]);
  console.log(
    `${KILLS} kills: ${talk.said.length} said, ${talk.sent} sent, ${talk.accepted.length} answered 200, ${received.length} received`,
  );
}, 7_200_000);
