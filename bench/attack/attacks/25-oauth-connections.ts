import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { dripping, pouring } from '../foreign-endpoint.ts';
import { HostilePlatforms } from '../hostile-platforms.ts';
import { demandQuiet, type Meanwhile } from '../meanwhile.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import { NetworkFlood } from '../network-flood.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 25;
const LASTS_MS = 4_000;
const MAX_CPU_SHARE = 0.5;
const AT_ONCE = 50;
const CALLBACKS = 20;
const ANSWER_BYTES = 1_000_000;

/** What the platform answers when codes are exchanged for tokens. */
const TOKENS: Readonly<Record<string, HostilePlatforms['tokens']>> = {
  'tokens that never come': () => {},
  'tokens in chunks of one byte': dripping('application/json', ' ', ANSWER_BYTES),
  'tokens among a hundred thousand values': pouring('application/json', '[],', ANSWER_BYTES),
};

/** Connections to platforms by OAuth: begun without end, ended by strangers, and with platforms that answer anything. */
export const oauthConnections: Attack = {
  number: NUMBER,
  name: 'connections by OAuth',
  async run(target, notes, mails) {
    const [greedy, quiet] = [
      await newTenant(target, mails, NUMBER, 1),
      await newTenant(target, mails, NUMBER, 2),
    ];
    await starts(target, notes, greedy, quiet);
    await strangersCallbacks(target, notes, quiet);
    const platforms = await HostilePlatforms.open();
    for (const [n, [what, tokens]] of Object.entries(TOKENS).entries()) {
      platforms.tokens = tokens;
      // Whoever has begun connections without end is refused more of them for a while.
      const connecting = await newTenant(target, mails, NUMBER, 3 + n);
      notes.act(`${CALLBACKS} connections of one account whose platform sends ${what}`);
      const asked = platforms.asked;
      await demandQuiet(target, notes, during(what, quiet), () => void callbacks(connecting));
      notes.demand(platforms.asked > asked, `requests for ${what}`, platforms.asked - asked);
      await leave(connecting);
    }
    platforms.close();
    for (const tenant of [greedy, quiet]) await leave(tenant);
  },
};

function during(what: string, quiet: Tenant): Meanwhile {
  return { what, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE };
}

async function starts(target: Target, notes: Notes, greedy: Tenant, quiet: Tenant): Promise<void> {
  notes.act(`one account begins connections, ${AT_ONCE} at a time`);
  const untilMs = performance.now() + LASTS_MS;
  const begin = async (): Promise<void> => {
    while (performance.now() < untilMs + 2_000)
      await greedy.browser.post('/api/oauth/start/slack').catch(() => pause(100));
  };
  await demandQuiet(target, notes, during('beginnings', quiet), () => {
    for (let n = 0; n < AT_ONCE; n++) void begin();
  });
  const { status } = await quiet.browser.post('/api/oauth/start/slack');
  notes.demand(status === 200, 'another account begins a connection', status);
}

async function strangersCallbacks(target: Target, notes: Notes, quiet: Tenant): Promise<void> {
  notes.act('500 ends of connections that nobody has begun, a second, from 250 networks');
  let flood: NetworkFlood | null = null;
  await demandQuiet(target, notes, during('ends that nobody has begun', quiet), () => {
    flood = new NetworkFlood(target, (n) => ({
      path: `/api/oauth/slack/callback?code=c${n}&state=${'s'.repeat(43)}`,
    }));
  });
  (flood as unknown as NetworkFlood).stop();
}

/** Ends connections that the account has begun, with codes that the platform is asked about. */
async function callbacks({ browser }: Tenant): Promise<void> {
  for (let n = 0; n < CALLBACKS; n++) {
    const { json, status } = await browser.post('/api/oauth/start/slack');
    if (status !== 200) return;
    const state = new URL(json.authorize_url).searchParams.get('state') ?? '';
    void browser
      .get(`/api/oauth/slack/callback?code=code&state=${encodeURIComponent(state)}`)
      .catch(() => undefined);
  }
}
