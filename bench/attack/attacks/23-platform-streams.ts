import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { dripping, pouring } from '../foreign-endpoint.ts';
import { type Flood, HostilePlatforms } from '../hostile-platforms.ts';
import { demandQuiet } from '../meanwhile.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 23;
const LASTS_MS = 4_000;
/** One account's share, a quarter while others are idle, and what the other account's requests take. */
const MAX_CPU_SHARE = 0.45;
const LOGIN_MS = 15_000;
const UPDATES_BYTES = 1_000_000;

const DISCORD = {
  platform: 'discord',
  bot_token: 'MTAwMDAwMDAwMDAwMDAwMDAx.GkX2pA.a-signature-of-nobody-at-all',
  discord_app_id: '100000000000000001',
};
const SLACK = {
  platform: 'slack',
  bot_token: 'xoxb-1-nobody',
  slack_signing_secret: 'f'.repeat(32),
  slack_app_token: 'xapp-1-nobody',
};
const TELEGRAM = { platform: 'telegram', bot_token: `7:${'x'.repeat(35)}` };

/** What the platform of a bot sends over the bot's own stream. */
interface Door {
  readonly what: string;
  readonly bot: Readonly<Record<string, string>>;
  begin(platforms: HostilePlatforms): void;
}

const sends = (flood: Flood) => (platforms: HostilePlatforms) => {
  platforms.flood = flood;
};
const answers = (updates: HostilePlatforms['updates']) => (platforms: HostilePlatforms) => {
  platforms.updates = updates;
};
const json = (text: string) => sends({ text });

const DOORS: readonly Door[] = [
  { what: 'the shortest payloads of Discord', bot: DISCORD, begin: json('{"op":11}') },
  { what: 'pings of Discord', bot: DISCORD, begin: sends({ pings: true }) },
  {
    what: 'events of Discord with lists of nothing',
    bot: DISCORD,
    begin: json(`{"op":0,"s":2,"t":"TYPING_START","d":[${'[],'.repeat(7_000)}0]}`),
  },
  { what: 'empty envelopes of Slack', bot: SLACK, begin: json('{"type":"none"}') },
  { what: 'pings of Slack', bot: SLACK, begin: sends({ pings: true }) },
  {
    what: 'envelopes of Slack with lists of nothing',
    bot: SLACK,
    begin: json(`{"type":"none","payload":[${'[],'.repeat(7_000)}0]}`),
  },
  {
    what: 'updates of Telegram in chunks of one byte',
    bot: TELEGRAM,
    begin: answers(dripping('application/json', ' ', UPDATES_BYTES)),
  },
  {
    what: 'updates of Telegram with a hundred thousand values',
    bot: TELEGRAM,
    begin: answers(pouring('application/json', '[],', UPDATES_BYTES)),
  },
];

/** Platforms that send over the streams of an account's own bots as much as is read. */
export const platformStreams: Attack = {
  number: NUMBER,
  name: 'streams of Discord, Slack and Telegram',
  async run(target, notes, mails) {
    const [greedy, quiet] = [
      await newTenant(target, mails, NUMBER, 1),
      await newTenant(target, mails, NUMBER, 2),
    ];
    const platforms = await HostilePlatforms.open();
    for (const door of DOORS) await through(door, { target, notes, greedy, quiet, platforms });
    platforms.close();
    for (const tenant of [greedy, quiet]) await leave(tenant);
  },
};

interface Scene {
  readonly target: Target;
  readonly notes: Notes;
  readonly greedy: Tenant;
  readonly quiet: Tenant;
  readonly platforms: HostilePlatforms;
}

async function through(
  { what, bot, begin }: Door,
  { target, notes, greedy, quiet, platforms }: Scene,
): Promise<void> {
  const { status, body } = await greedy.settingsApi.post('/api/bot-tokens', bot);
  if (status >= 300) throw new Error(`a bot of ${bot.platform}: ${status} ${JSON.stringify(body)}`);
  await loggedIn(greedy, body.id);
  const before = platforms.sentBytes + platforms.asked;
  notes.act(`${what}, as fast as they are read`);
  const meanwhile = { what, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE };
  await demandQuiet(target, notes, meanwhile, () => begin(platforms));
  platforms.flood = null;
  platforms.updates = null;
  const sent = platforms.sentBytes + platforms.asked - before;
  notes.demand(sent > 0, `what the platform has sent of ${what}`, sent);
  await greedy.settingsApi.delete(`/api/bot-tokens/${body.id}`);
}

async function loggedIn({ settingsApi }: Tenant, id: string): Promise<void> {
  const untilMs = performance.now() + LOGIN_MS;
  for (;;) {
    const { body } = await settingsApi.get('/api/bot-tokens');
    const listed = body.bot_tokens as { id: string; status: string }[];
    const bot = listed.find((each) => each.id === id);
    if (bot?.status.startsWith('ok')) return;
    if (performance.now() > untilMs) throw new Error(`the bot was not let in: ${JSON.stringify(bot)}`);
    await pause(50);
  }
}
