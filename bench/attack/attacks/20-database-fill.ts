import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { type Attack, PROVIDER_HOST, type Target } from '../attack.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { ScriptedProvider } from '../scripted-provider.ts';

const NUMBER = 20;
const LONG = 'x'.repeat(10_000);
const DOOR_MS = 11_000;
const AT_ONCE = 8;
/** What an account may write at once, and in this time. */
const MOST_WRITES = 1_000 + 50 * (DOOR_MS / 1_000);
/** An account may store 6 MB on this stage. What is on the disk beside, such as indexes, is estimated. */
const MAX_GROWTH_MB = 12;
/** The log is moved into the database by then. */
const CHECKPOINT_MS = 3_000;
/** Full accounts are looked at every 10 s, and mails are sent a little later. */
const TOLD_MS = 12_000;

/** A way to have the gateway store something, again and again. */
interface Door {
  readonly name: string;
  store(tenant: Tenant, n: number): Promise<{ status: number }>;
}

const DOORS: readonly Door[] = [
  {
    name: 'calls to a provider that is busy',
    store: async ({ agentApi }, n) => {
      const meeting_url = `sip:+4930${n}@${PROVIDER_HOST}`;
      const placed = await agentApi.post('/api/call', {
        platform: 'sip',
        meeting_url,
        agent_name: LONG.slice(0, 60),
      });
      if (placed.status < 300) await agentApi.delete(`/api/call/${placed.body.call_id}`);
      return placed;
    },
  },
  {
    name: 'prompts of an agent',
    store: ({ settingsApi }, n) =>
      settingsApi.post('/api/agents', { name: `Agent ${n}` }).then(async ({ status, body }) => {
        if (status >= 300) return { status };
        const provider = {
          provider: 'custom',
          config: { endpoint: `http://${PROVIDER_HOST}:9/v1`, model: 'm' },
        };
        return await settingsApi.patch(`/api/agents/${body.id}/provider`, {
          ...provider,
          system_prompt: LONG,
        });
      }),
  },
  {
    name: 'keys that are revoked at once',
    store: async ({ settingsApi }, n) => {
      const made = await settingsApi.post('/api/api-keys', { name: `key ${n} ${LONG.slice(0, 60)}` });
      if (made.status < 300) await settingsApi.delete(`/api/api-keys/${made.body.id}`);
      return made;
    },
  },
  {
    name: 'messages between two agents',
    store: ({ agentApi }) => agentApi.post('/api/dm/chat', { platform: 'agent', peer: 'Peer', text: LONG }),
  },
];

/** One account that has as much stored as it can, by four doors, while another wants to store little. */
export const databaseFill: Attack = {
  number: NUMBER,
  name: 'as much in the database as there can be',
  async run(target, notes, mails) {
    const [greedy, quiet] = [
      await newTenant(target, mails, NUMBER, 1),
      await newTenant(target, mails, NUMBER, 2),
    ];
    for (const { settingsApi } of [greedy, quiet]) await settingsApi.post('/api/agents', { name: 'Peer' });
    const provider = await ScriptedProvider.open(target.sipPort);
    const trunk = { host: PROVIDER_HOST, port: provider.port, username: 'a', password: 'b', register: false };
    await greedy.settingsApi.put('/api/sip/trunk', trunk);
    const before = bytesOnDisk(target);
    for (const door of DOORS) await push(greedy, notes, door);
    provider.close();
    await judge(target, { greedy, quiet }, notes, before);
    await pause(TOLD_MS);
    const told = (await mails.subjects(greedy.email)).filter((subject) => subject === 'Your account is full');
    notes.demand(told.length === 1, 'mails to the owner of the full account', told.length);
    for (const each of [greedy, quiet]) await leave(each);
  },
};

async function push(tenant: Tenant, notes: Notes, door: Door): Promise<void> {
  notes.act(`${AT_ONCE} at once, for ${DOOR_MS / 1_000} s: ${door.name}`);
  const statuses = new Map<number, number>();
  const endMs = performance.now() + DOOR_MS;
  let n = 0;
  const one = async () => {
    while (performance.now() < endMs) {
      const { status } = await door.store(tenant, n++);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
      // Whoever is refused asks again, but not as fast as it can: that is another attack.
      if (status >= 400) await pause(20);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, one));
  const isBounded = (statuses.get(200) ?? 0) <= MOST_WRITES;
  const isClean = [...statuses.keys()].every((status) => [200, 409, 429, 507].includes(status));
  notes.demand(
    isBounded && isClean,
    door.name,
    [...statuses].map(([status, count]) => `${count} × ${status}`).join(', '),
  );
}

async function judge(
  target: Target,
  { greedy, quiet }: { readonly greedy: Tenant; readonly quiet: Tenant },
  notes: Notes,
  before: number,
): Promise<void> {
  const written = await DOORS.at(-1)!.store(quiet, 0);
  notes.demand(written.status === 200, 'a message of another account', written.status);
  const { bytes, most_bytes: most } = (await greedy.agentApi.get('/api/usage')).body.database;
  notes.demand(bytes < most * 1.05, 'what the account stores, MB', (bytes / 1e6).toFixed(1));
  await pause(CHECKPOINT_MS);
  const grownMb = (bytesOnDisk(target) - before) / 1e6;
  notes.demand(grownMb < MAX_GROWTH_MB, 'the database grew by, MB', grownMb.toFixed(1));
}

function bytesOnDisk({ dataFolder }: Target): number {
  return readdirSync(dataFolder)
    .filter((name) => name.endsWith('.db'))
    .reduce((sum, name) => sum + statSync(join(dataFolder, name)).size, 0);
}
