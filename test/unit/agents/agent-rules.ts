import fc from 'fast-check';
import { sql } from 'kysely';
import { expect } from 'vitest';
import type { AccountDomain } from '../../../src/accounts/account/account-domain.ts';
import { AgentRoster } from '../../../src/accounts/account/agent-roster.ts';
import { disconnect } from '../../../src/accounts/connections/disconnect.ts';
import { createKey, revokeIssuedKey, storeKey } from '../../../src/accounts/keys/api-keys.ts';
import { KeyCache } from '../../../src/accounts/keys/key-cache.ts';
import { registerBot, removeBot } from '../../../src/accounts/logins/bot-tokens.ts';
import { notifyNumbersChanged } from '../../../src/accounts/logins/sip-accounts.ts';
import { createSipDid, deleteSipDid } from '../../../src/accounts/logins/sip-dids.ts';
import type { AgentDomain } from '../../../src/agents/agent-domain.ts';
import {
  attachAccount,
  attachAgentKey,
  detachAccount,
  detachAgentKey,
  mintAgentKey,
} from '../../../src/agents/agent-members.ts';
import { createAgent, deleteAgent, setDefaultAgent } from '../../../src/agents/change-agent.ts';
import { getInternalBearer, rotateInternalBearer } from '../../../src/agents/internal-bearer.ts';
import { GatewayError } from '../../../src/base/errors.ts';
import { PLATFORM_TRAITS } from '../../../src/base/platform.ts';
import { systemClock } from '../../../src/base/time.ts';
import type { CallDomain } from '../../../src/calls/call-domain.ts';
import { CallRegistry } from '../../../src/calls/call-registry.ts';
import { attachMember, insertAgent, type Member } from '../../../src/store/agents/agents.ts';
import type { Db } from '../../../src/store/database/rows.ts';
import { insertDid, listRoutedDids } from '../../../src/store/logins/sip-dids.ts';
import { insertAccount } from '../../../src/store/people/accounts.ts';
import { budgetsOf } from '../../support/budgets.ts';
import { NO_MODELS } from '../../support/no-models.ts';
import { FakeDirectory } from '../accounts/fake-directory.ts';
import { sipSetup } from '../accounts/sip-setup.ts';
import { connectionsOf } from '../accounts/test-connections.ts';
import { NOW, temporaryStore } from '../store/temporary.ts';

/** What does not matter of a number. */
const DESK = { label: null, autoAnswer: false, presets: { stt: null, tts: null } };

const MAX_OPERATIONS = 6;

/** One account and everything created in it, deleted things included. */
interface World {
  readonly domain: AgentDomain & AccountDomain;
  readonly actor: { readonly accountId: string; readonly kind: 'settings'; readonly credentialId: string };
  readonly agents: string[];
  readonly keys: { readonly id: string; readonly text: string }[];
  readonly members: Member[];
}

interface Operation {
  readonly verb: keyof typeof VERBS;
  readonly a: number;
  readonly b: number;
}

/** Calls play no part here. */
const NO_CALLS = {
  connectors: new Map(),
  registry: new CallRegistry(),
  clock: systemClock,
} as unknown as CallDomain;

let accounts = 0;
let numbers = 0;

function pick<T>(list: readonly T[], index: number): T {
  return list[index % list.length]!;
}

const VERBS = {
  createAgent: async ({ domain, actor, agents }: World) => {
    agents.push((await createAgent(domain, actor, 'Another')).id);
  },
  deleteAgent: ({ domain, actor, agents }: World, a: number) => deleteAgent(domain, actor, pick(agents, a)),
  setDefault: ({ domain, actor, agents }: World, a: number) =>
    setDefaultAgent(domain, actor, pick(agents, a)),
  createKey: async ({ domain, actor, keys }: World) => {
    const { id, key } = await createKey(domain, actor, 'agent', 'n');
    keys.push({ id, text: key });
  },
  mintKey: async ({ domain, actor, agents, keys }: World, a: number) => {
    const { id, key } = await mintAgentKey(domain, actor, pick(agents, a), 'n');
    keys.push({ id, text: key });
  },
  attachKey: ({ domain, actor, agents, keys }: World, a: number, b: number) =>
    attachAgentKey(domain, actor, pick(agents, a), pick(keys, b).id),
  detachKey: ({ domain, actor, agents, keys }: World, a: number, b: number) =>
    detachAgentKey(domain, actor, pick(agents, a), pick(keys, b).id),
  revokeKey: ({ domain, actor, keys }: World, a: number) =>
    revokeIssuedKey(domain, actor, 'agent', pick(keys, a).id),
  showBearer: async ({ domain, actor, agents, keys }: World, a: number) => {
    const { keyId, key } = await getInternalBearer(domain, actor, pick(agents, a));
    keys.push({ id: keyId, text: key });
  },
  rotateBearer: async ({ domain, actor, agents, keys }: World, a: number) => {
    const { keyId, key } = await rotateInternalBearer(domain, actor, pick(agents, a));
    keys.push({ id: keyId, text: key });
  },
  attachAccount: ({ domain, actor, agents, members }: World, a: number, b: number) =>
    attachAccount(domain, actor, pick(agents, a), pick(members, b)),
  detachAccount: ({ domain, actor, agents, members }: World, a: number, b: number) =>
    detachAccount(domain, actor, pick(agents, a), pick(members, b)),
  createDid: async ({ domain, actor, members }: World) => {
    const wanted = { ...DESK, number: `+1${1_000_000 + numbers++}` };
    members.push({ type: 'sip_number', id: (await createSipDid(sipSetup(domain), actor, wanted)).id });
  },
  deleteDid: ({ domain, actor, members }: World, a: number) =>
    deleteSipDid(domain, actor, pick(members, a).id),
  registerBot: async ({ domain, actor, members }: World) => {
    const bot = {
      platform: 'telegram',
      token: `${numbers++}`,
      signingSecret: null,
      appToken: null,
      appId: null,
    } as const;
    members.push({ type: 'bot_token', id: (await registerBot(domain, actor, bot)).id });
  },
  removeBot: ({ domain, actor, members }: World, a: number) => removeBot(domain, actor, pick(members, a).id),
  disconnect: ({ domain, actor, members }: World, a: number) =>
    disconnect(domain.connections, actor, pick(members, a).id),
} satisfies Record<string, (world: World, a: number, b: number) => Promise<unknown>>;

/** An account with two agents: bare, or with a key in each, a login in the first one and a number in both. */
async function newWorld(domain: World['domain'], isBare: boolean): Promise<World> {
  const n = accounts++;
  const accountId = `acc_${n}`;
  const agents = [`agt_${n}_0`, `agt_${n}_1`];
  // Ids of deleted things and of the previous account are never found.
  const world = {
    domain,
    actor: { accountId, kind: 'settings', credentialId: 'key_s' } as const,
    agents: n === 0 ? agents : [...agents, `agt_${n - 1}_0`],
    keys: [{ id: 'key_gone', text: 'svc_gone' }],
    members: [{ type: 'sip_number', id: 'did_gone' }] as Member[],
  };
  await domain.store.db.transaction().execute(async (trx) => {
    await insertAccount(trx, { id: accountId, name: 'n', createdAt: NOW });
    for (const [i, id] of agents.entries())
      await insertAgent(trx, { id, accountId, name: 'n', isDefault: i === 0, createdAt: NOW });
    if (!isBare) await furnish(trx, world);
  });
  await domain.keys.refresh(accountId);
  await notifyNumbersChanged(domain, accountId);
  return world;
}

async function furnish(db: Db, { actor: { accountId }, agents, keys, members }: World): Promise<void> {
  const [first, second] = agents as [string, string];
  const connection = { type: 'connection', id: `con_of_${accountId}` } as const;
  const number = { type: 'sip_number', id: `did_of_${accountId}` } as const;
  const blank = { email: null, label: 'n', status: 'ok', sealedCredentials: '' };
  await db
    .insertInto('connections')
    .values({ id: connection.id, accountId, provider: 'teams', ...blank, createdAt: NOW, updatedAt: NOW })
    .execute();
  const did = { ...DESK, id: number.id, number: `+1${1_000_000 + numbers++}` };
  await insertDid(db, { ...did, accountId, createdAt: NOW });
  await attachMember(db, first, connection);
  for (const agentId of [first, second]) {
    await attachMember(db, agentId, number);
    const text = `svc_of_${agentId}`;
    const owner = { accountId, kind: 'agent', name: 'n', agentIds: [agentId] } as const;
    keys.push({ id: (await storeKey(db, text, owner, NOW)).id, text });
  }
  members.push(connection, number);
}

/** Refusals by the rules are expected; anything else is a bug. */
async function carryOut(world: World, { verb, a, b }: Operation): Promise<void> {
  try {
    await VERBS[verb](world, a, b);
  } catch (error) {
    if (!(error instanceof GatewayError) || ![400, 404].includes(error.status)) throw error;
  }
}

/** How often an account breaks each rule. */
async function broken(world: World): Promise<unknown> {
  const { accountId } = world.actor;
  const { rows } = await sql`select
    (select count(*) = 1 from agents where account_id = ${accountId} and is_default = 1) as one_default,
    (select count(*) from api_keys k where k.account_id = ${accountId} and k.kind = 'agent'
      and k.revoked_at is null and not exists (select 1 from agent_keys m where m.key_id = k.id)) as lone_keys,
    (select count(*) from agent_keys m join api_keys k on k.id = m.key_id
      where k.account_id = ${accountId} and k.revoked_at is not null) as revoked_members,
    (select count(*) from agent_keys m join api_keys k on k.id = m.key_id join agents a on a.id = m.agent_id
      where k.account_id = ${accountId} and a.account_id <> k.account_id) as foreign_members,
    (select count(*) from (select id from sip_dids where account_id = ${accountId}
      union all select id from connections where account_id = ${accountId}
      union all select id from bot_tokens where account_id = ${accountId}) o
      where not exists (select 1 from agent_accounts m where m.member_id = o.id)) as lone_accounts,
    (select count(*) from agent_accounts m join agents a on a.id = m.agent_id where a.account_id = ${accountId}
      and not exists (select 1 from sip_dids d where d.id = m.member_id and d.account_id = a.account_id)
      and not exists (select 1 from connections c where c.id = m.member_id and c.account_id = a.account_id)
      and not exists (select 1 from bot_tokens b where b.id = m.member_id and b.account_id = a.account_id)
    ) as dangling_members`.execute(world.domain.store.db);
  return rows[0];
}

const WHOLE = {
  oneDefault: 1,
  loneKeys: 0,
  revokedMembers: 0,
  foreignMembers: 0,
  loneAccounts: 0,
  danglingMembers: 0,
};

/** The key cache and the connector agree with the database. */
async function expectFollowed({ domain, actor, keys }: World, directory: FakeDirectory): Promise<void> {
  const { db } = domain.store;
  const rows = await db
    .selectFrom('agentKeys')
    .innerJoin('apiKeys', 'apiKeys.id', 'agentKeys.keyId')
    .select(['agentKeys.keyId', 'agentKeys.agentId'])
    .where('apiKeys.accountId', '=', actor.accountId)
    .execute();
  for (const { id, text } of keys) {
    const stored = rows.filter(({ keyId }) => keyId === id).map(({ agentId }) => agentId);
    expect(new Set(domain.keys.use(text)?.agentIds ?? [])).toEqual(new Set(stored));
  }
  const routed = await listRoutedDids(db, actor.accountId);
  const told = [...directory.numbers.values()].filter(({ accountId }) => accountId === actor.accountId);
  expect(new Map(told.map((one) => [one.didId, one.agentId]))).toEqual(
    new Map(routed.map((one) => [one.id, one.agentId])),
  );
  for (const { didId } of told) directory.removeNumber(didId);
}

const verbs = Object.keys(VERBS) as Operation['verb'][];
const operations = fc.array(
  fc.record({ verb: fc.constantFrom(...verbs), a: fc.nat({ max: 11 }), b: fc.nat({ max: 11 }) }),
  { minLength: 1, maxLength: MAX_OPERATIONS, size: 'max' },
);

/** Runs random sequences of operations, sequentially or all at once, each in an account of its own. */
export async function expectRulesToHold(sequences: number): Promise<void> {
  const store = await temporaryStore();
  const directory = new FakeDirectory();
  const keys = await KeyCache.load(store.db, systemClock, () => {});
  const roster = await AgentRoster.load(store.db);
  const grants = { refresh: async () => {} };
  const common = { store, directory, keys, roster, grants, clock: systemClock };
  const domain = {
    ...common,
    endCalls: () => {},
    models: NO_MODELS,
    mayConnect: async () => true,
    traits: PLATFORM_TRAITS,
    calls: NO_CALLS,
    connections: connectionsOf(store),
    budgets: await budgetsOf(store, systemClock),
  };
  let carriedOut = 0;
  await fc.assert(
    fc.asyncProperty(operations, fc.boolean(), fc.boolean(), async (sequence, atOnce, isBare) => {
      const world = await newWorld(domain, isBare);
      if (atOnce) await Promise.all(sequence.map((operation) => carryOut(world, operation)));
      else await carryOutInTurn(world, sequence);
      carriedOut += sequence.length;
      expect(await broken(world)).toEqual(WHOLE);
      await expectFollowed(world, directory);
    }),
    { numRuns: sequences },
  );
  expect(carriedOut).toBeGreaterThan(2 * sequences);
}

async function carryOutInTurn(world: World, sequence: readonly Operation[]): Promise<void> {
  for (const operation of sequence) {
    await carryOut(world, operation);
    expect(await broken(world)).toEqual(WHOLE);
  }
}
