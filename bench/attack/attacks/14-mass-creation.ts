import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Attack, Target } from '../attack.ts';
import { leave, newTenant, type Tenant } from '../member.ts';
import type { Notes } from '../notes.ts';
import { untilRefused } from '../until-refused.ts';

const NUMBER = 14;
const LONG = 'x'.repeat(10_000);
const MAX_GROWTH_MB = 12;
/** The log is moved into the database by then; it is written over, not added to. */
const CHECKPOINT_MS = 3_000;

/** Something that can be made again and again. */
interface Making {
  readonly name: string;
  /** The limit, if the specification sets one. */
  readonly most: number;
  /** Where to stop when nothing refuses. */
  readonly tries: number;
  make(tenant: Tenant, n: number, target: Target): Promise<{ status: number }>;
}

const MAKINGS: readonly Making[] = [
  {
    name: 'feedback in an hour',
    ...{ most: 20, tries: 400 },
    make: ({ agentApi }) =>
      agentApi.post('/api/feedback', { message: LONG, error_detail: LONG, suggestion_shown: LONG }),
  },
  {
    name: 'agents',
    ...{ most: 100, tries: 150 },
    make: ({ settingsApi }, n) => settingsApi.post('/api/agents', { name: `Agent ${n}` }),
  },
  {
    name: 'keys',
    ...{ most: 1_000, tries: 1_100 },
    make: ({ browser }, n) => browser.post('/api/api-keys', { name: `key ${n}` }),
  },
  {
    name: 'upload slots',
    ...{ most: 1_500, tries: 2_000 },
    make: ({ agentApi }, n) => agentApi.post('/api/files/reserve', { name: `${n}.txt`, mime: 'text/plain' }),
  },
  {
    name: 'MCP clients of one address',
    ...{ most: 1_000, tries: 1_200 },
    make: (_, n, { baseUrl }) =>
      fetch(`${baseUrl}/oauth/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({
          client_name: `Client ${n}`,
          redirect_uris: ['http://127.0.0.1:33418/callback'],
          token_endpoint_auth_method: 'none',
        }),
      }),
  },
];

/** As many of everything as the gateway lets one account make. */
export const massCreation: Attack = {
  number: NUMBER,
  name: 'as many of everything as there can be',
  async run(target, notes, mails) {
    const tenant = await newTenant(target, mails, NUMBER, 1);
    const before = storedBytes(target.dataFolder);
    for (const making of MAKINGS) await makeMany(target, tenant, notes, making);
    await pause(CHECKPOINT_MS);
    const grownMb = (storedBytes(target.dataFolder) - before) / 1e6;
    notes.demand(grownMb < MAX_GROWTH_MB, 'the database grew by, MB', grownMb.toFixed(1));
    await leave(tenant);
  },
};

async function makeMany(target: Target, tenant: Tenant, notes: Notes, making: Making): Promise<void> {
  notes.act(`one makes up to ${making.tries} ${making.name}`);
  const { count, status } = await untilRefused(making.tries, (n) => making.make(tenant, n, target));
  const isCapped = count <= making.most && (status === 429 || status === 409);
  notes.demand(isCapped, making.name, `${count}, then ${status}`);
}

function storedBytes(folder: string): number {
  return readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.db'))
    .reduce((sum, { name }) => sum + statSync(join(folder, name)).size, 0);
}
