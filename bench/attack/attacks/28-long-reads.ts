import { againAndAgain } from '../again-and-again.ts';
import type { Attack, Target } from '../attack.ts';
import { demandQuiet } from '../meanwhile.ts';
import { leave, newTenant, type Tenant } from '../member.ts';

const NUMBER = 28;
const LASTS_MS = 4_000;
const MAX_CPU_SHARE = 0.6;
const MESSAGES = 500;
const TEXT = 'x'.repeat(9_000);
const FILE_BYTES = 700_000;
const LONG_NAME = 'x'.repeat(900_000);

/** What the account has stored. */
interface Stored {
  readonly target: Target;
  readonly tenant: Tenant;
  readonly fileUrl: string;
}

/** Something that is read, or only asked for, again and again. */
interface Door {
  readonly name: string;
  readonly atOnce: number;
  read(stored: Stored): Promise<unknown>;
}

const mcp = (tenant: Tenant, path: string, method: string, params: object) =>
  tenant.agentApi.post(path, { jsonrpc: '2.0', id: 1, method, params });

const initialize = (tenant: Tenant, path: string, name: string) =>
  mcp(tenant, path, 'initialize', {
    protocolVersion: '2025-06-18',
    capabilities: {},
    clientInfo: { name, version: '1' },
  });

const DOORS: readonly Door[] = [
  {
    name: 'pages far behind the last one',
    atOnce: 8,
    read: async ({ tenant: { agentApi } }) => {
      await agentApi.get('/api/inbox?status=all&limit=200&offset=100000');
      await agentApi.get('/api/inbox?platform=agent&peer=Peer%201&limit=200&offset=400');
    },
  },
  {
    name: 'the longest pages',
    atOnce: 8,
    read: ({ tenant }) => tenant.agentApi.get('/api/inbox?platform=agent&peer=Peer%201&limit=200'),
  },
  {
    name: 'all that has happened',
    atOnce: 8,
    read: ({ tenant }) =>
      tenant.agentApi.get('/api/inbox?last_message_cursor=2020-01-01T00:00:00.000Z&limit=200'),
  },
  { name: 'exports', atOnce: 4, read: ({ tenant }) => tenant.settingsApi.get('/api/export') },
  { name: 'downloads', atOnce: 16, read: async ({ fileUrl }) => await (await fetch(fileUrl)).arrayBuffer() },
  {
    name: 'ranges of one byte',
    atOnce: 32,
    read: async ({ fileUrl }) =>
      await (await fetch(fileUrl, { headers: { Range: 'bytes=5-5' } })).arrayBuffer(),
  },
  {
    name: 'tools with names without end',
    atOnce: 2,
    read: ({ tenant }) => mcp(tenant, '/mcp', 'tools/call', { name: LONG_NAME, arguments: {} }),
  },
  {
    name: 'resources with names without end',
    atOnce: 2,
    read: ({ tenant }) => mcp(tenant, '/mcp', 'resources/read', { uri: `svc://${LONG_NAME}` }),
  },
  {
    name: 'clients with names without end',
    atOnce: 2,
    read: ({ tenant }) => initialize(tenant, '/mcp', LONG_NAME),
  },
  {
    name: 'sessions of MCP',
    atOnce: 8,
    read: ({ tenant }) => initialize(tenant, '/mcp?stateful', 'a'),
  },
];

/**
 * One account that reads as much as it can, in the ways that have stopped others' servers: pages at a depth, exports,
 * downloads, a byte at a time, and words that are only looked up.
 */
export const longReads: Attack = {
  number: NUMBER,
  name: 'reads that take long',
  async run(target, notes, mails) {
    const quiet = await newTenant(target, mails, NUMBER, 1);
    const tenant = await newTenant(target, mails, NUMBER, 2);
    const stored = { target, tenant, fileUrl: await fill(tenant) };
    for (const door of DOORS) {
      notes.act(`${door.atOnce} at once: ${door.name}`);
      let reading: Promise<number> | null = null;
      const meanwhile = { what: door.name, quiet, lastsMs: LASTS_MS, mostShare: MAX_CPU_SHARE };
      await demandQuiet(target, notes, meanwhile, () => {
        const endMs = performance.now() + LASTS_MS;
        reading = againAndAgain(door.atOnce, endMs, () => door.read(stored));
      });
      notes.see(`${door.name}: ${await reading} times`);
    }
    for (const each of [quiet, tenant]) await leave(each);
  },
};

/** Stores much. Resolves with the address of a file. */
async function fill({ agentApi, settingsApi }: Tenant): Promise<string> {
  for (const name of ['Peer 1', 'Peer 2']) await settingsApi.post('/api/agents', { name });
  const store = (n: number) =>
    agentApi.post('/api/dm/chat', { platform: 'agent', peer: `Peer ${1 + (n % 2)}`, text: TEXT });
  for (let n = 0; n < MESSAGES; n += 4) await Promise.all([0, 1, 2, 3].map((more) => store(n + more)));
  const file = {
    name: 'a.bin',
    mime: 'application/octet-stream',
    bytes_b64: Buffer.alloc(FILE_BYTES, 'x').toString('base64'),
  };
  const { status, body } = await agentApi.post('/api/files', file);
  if (status !== 200) throw new Error(`a file: ${status} ${JSON.stringify(body)}`);
  return body.url;
}
