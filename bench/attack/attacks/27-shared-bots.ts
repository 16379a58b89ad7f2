import { createHmac } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { waitFor } from '../../../test/support/wait-for.ts';
import type { Attack, Target } from '../attack.ts';
import { demandQuiet } from '../meanwhile.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import { type Knock, NetworkFlood } from '../network-flood.ts';
import type { Notes } from '../notes.ts';

const NUMBER = 27;
const LASTS_MS = 6_000;
const WRITES_EVERY_MS = 500;
const MAX_DELAY_MS = 1_000;
const MAX_CPU_SHARE = 0.6;
/** People of the greedy account, each below what one may write. */
const PEOPLE = 100;
/** Those of the operator's settings. What is signed has come from the platform: it hands on whatever people write. */
const APP_SECRET = 'app secret';
const PHONE_NUMBER_ID = '1';

let serial = 0;

/** What the platform sends when a person does something. */
function told(person: string, message: Readonly<Record<string, unknown>>): Knock {
  const value = {
    messaging_product: 'whatsapp',
    metadata: { display_phone_number: '1', phone_number_id: PHONE_NUMBER_ID },
    contacts: [{ profile: { name: person }, wa_id: person }],
    messages: [
      {
        from: person,
        id: `wamid.${person}.${serial++}`,
        timestamp: `${Math.floor(Date.now() / 1_000)}`,
        ...message,
      },
    ],
  };
  const body = JSON.stringify({
    object: 'whatsapp_business_account',
    entry: [{ id: '1', changes: [{ field: 'messages', value }] }],
  });
  const signature = createHmac('sha256', APP_SECRET).update(body).digest('hex');
  return {
    path: '/api/whatsapp/webhook/shared',
    body,
    headers: { 'X-Hub-Signature-256': `sha256=${signature}` },
  };
}

const said = (person: string, text: string): Knock => told(person, { type: 'text', text: { body: text } });

/** Floods of what people do with the one bot of all accounts, by what they are called. */
const FLOODS: Readonly<Record<string, (people: readonly string[], n: number) => Knock>> = {
  'messages of one person': ([person = ''], n) => said(person, `again ${n}`),
  'messages of a hundred people of one account': (people, n) =>
    said(people[n % people.length]!, `again ${n}`),
  'messages of strangers': (_, n) => said(`4930${n % 1_000}`, 'who are you?'),
  'reactions of one person': ([person = ''], n) =>
    told(person, {
      type: 'reaction',
      reaction: { message_id: 'wamid.none', emoji: n % 2 === 0 ? '👍' : '' },
    }),
  'messages that look like invitations': ([person = ''], n) =>
    said(person, [0, 1, 2].map((each) => `${n}_${each}`.padEnd(32, 'x')).join(' ')),
};

/** People who flood a bot that all accounts share. */
export const sharedBots: Attack = {
  number: NUMBER,
  name: 'floods of a bot that all accounts share',
  async run(target, notes, mails) {
    const quiet = await newTenant(target, mails, NUMBER, 1);
    const greedy = await newTenant(target, mails, NUMBER, 2);
    const friend = `49151${target.round}`;
    await contact(target, quiet, friend);
    const people = Array.from({ length: PEOPLE }, (_, n) => `4917${target.round}${1_000 + n}`);
    for (const person of people) await contact(target, greedy, person);
    for (const [what, flood] of Object.entries(FLOODS)) {
      notes.act(`500 ${what} a second`);
      await demandHeard(target, notes, { quiet, friend, what, knock: (n) => flood(people, n) });
    }
    await leave(quiet);
    await leave(greedy);
  },
};

/** Makes a person a contact of the account, by its invitation. */
async function contact(target: Target, tenant: Tenant, person: string): Promise<void> {
  const { body } = await tenant.settingsApi.post('/api/invite-link', {});
  await deliver(target, said(person, `Hello ${body.invite_token}`));
}

async function deliver({ baseUrl }: Target, { path, body, headers }: Knock): Promise<void> {
  const answer = await fetch(`${baseUrl}${path}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: body as string,
  });
  if (answer.status !== 200) throw new Error(`webhook: ${answer.status} ${await answer.text()}`);
}

interface Conversation {
  readonly quiet: Tenant;
  /** Who writes to the quiet account. */
  readonly friend: string;
  readonly what: string;
  readonly knock: (n: number) => Knock;
}

/** Another account gets its messages in time meanwhile, and its answers. */
async function demandHeard(
  target: Target,
  notes: Notes,
  { quiet, friend, what, knock }: Conversation,
): Promise<void> {
  let flood: NetworkFlood | null = null;
  let worstMs = 0;
  const writing = async (): Promise<void> => {
    const untilMs = performance.now() + LASTS_MS - MAX_DELAY_MS;
    for (let n = 0; performance.now() < untilMs; n++) {
      const sinceMs = performance.now();
      await arrives(target, quiet, friend, `${what} ${n}`);
      worstMs = Math.max(worstMs, performance.now() - sinceMs);
      await pause(WRITES_EVERY_MS);
    }
  };
  let wrote: Promise<void> = Promise.resolve();
  await demandQuiet(target, notes, { what, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE }, () => {
    flood = new NetworkFlood(target, knock);
    wrote = writing();
  });
  await wrote;
  flood = flood as unknown as NetworkFlood;
  flood.stop();
  const answers = [...flood.answers].map(([status, count]) => `${count} × ${status}`).join(', ');
  notes.see(`answers to ${flood.sent} ${what}: ${answers}`);
  notes.demand(
    worstMs < MAX_DELAY_MS,
    `until another account has its message beside ${what}, ms`,
    Math.round(worstMs),
  );
}

/** Resolves when the account's agent finds the message. */
async function arrives(target: Target, quiet: Tenant, friend: string, text: string): Promise<void> {
  const { cursor } = (await quiet.agentApi.get('/api/inbox')).body;
  await deliver(target, said(friend, text));
  const path = `/api/inbox?last_message_cursor=${encodeURIComponent(cursor)}`;
  await waitFor(text, async () => JSON.stringify((await quiet.agentApi.get(path)).body).includes(text));
}
