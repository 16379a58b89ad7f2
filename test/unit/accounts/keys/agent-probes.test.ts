import { expect, test } from 'vitest';
import { AgentProbes } from '../../../../src/accounts/keys/agent-probes.ts';
import { storeKey } from '../../../../src/accounts/keys/api-keys.ts';
import { changeRows } from '../../../../src/store/database/rows.ts';
import { revokeKey } from '../../../../src/store/keys/keys.ts';
import type { Store } from '../../../../src/store/store.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { NOW, seedAccount, temporaryStore } from '../../store/temporary.ts';

async function agentKey(store: Store, owner: { accountId: string; agentId: string }, name: string) {
  const { accountId, agentId } = owner;
  const key = { accountId, kind: 'agent', name, agentIds: [agentId] } as const;
  return (await storeKey(store.db, `svc_${accountId}_${name}`, key, NOW)).id;
}

/** An account with the given keys, and the observable state around them. */
async function probed(...names: string[]) {
  const store = await temporaryStore();
  const owner = await seedAccount(store, 'a');
  const ids: Record<string, string> = {};
  for (const name of names) ids[name] = await agentKey(store, owner, name);
  const clock = new ManualClock();
  const replied = new Map<string, string>();
  const sent: [accountId: string, agentIds: readonly string[], probeId: string][] = [];
  const streams = new Map<string, number>();
  const inMcp = new Set<string>();
  const signals = {
    openStreams: (keyId: string) => streams.get(keyId) ?? 0,
    mcpKeys: () => inMcp,
    repliedAt: (keyId: string) => replied.get(keyId) ?? null,
  };
  const probes = new AgentProbes(store.db, clock, signals, async (...probe) => void sent.push(probe));
  return { store, owner, ids, clock, replied, streams, inMcp, probes, sent };
}

test('a probe gives each key one of four verdicts after 30 s', async () => {
  const names = ['replied', 'on a call', 'in MCP', 'key_used_recently', 'not_connected', 'long ago'];
  const { store, owner, ids, clock, replied, streams, inMcp, probes, sent } = await probed(...names);
  streams.set(ids['on a call']!, 2);
  inMcp.add(ids['in MCP']!);
  clock.advance(20 * 60_000);
  await changeRows(store.db, 'apiKeys', { id: ids['long ago']! }, { lastUsedAt: new ManualClock().nowIso() });
  await changeRows(store.db, 'apiKeys', { id: ids.key_used_recently! }, { lastUsedAt: clock.nowIso() });

  const started = await probes.start(owner.accountId, null);
  expect(sent).toEqual([[owner.accountId, [owner.agentId], started.probeId]]);
  replied.set(ids.replied!, clock.nowIso());
  expect(started).toMatchObject({ isDone: false, startedAt: clock.nowIso() });
  expect(started.keys.map(({ name }) => name)).toEqual(expect.arrayContaining(names));
  clock.advance(29_999);
  const early = await probes.status(owner.accountId);
  expect(early.isDone).toBe(false);
  expect(early.keys.flatMap(({ verdict }) => verdict ?? [])).toEqual(['replied']);

  clock.advance(1);
  const { isDone, keys } = await probes.status(owner.accountId);
  expect(isDone).toBe(true);
  const verdicts = Object.fromEntries(keys.map(({ name, verdict }) => [name, verdict]));
  expect(verdicts).toEqual({
    replied: 'replied',
    'on a call': 'connected_but_silent',
    'in MCP': 'connected_but_silent',
    key_used_recently: 'key_used_recently',
    not_connected: 'not_connected',
    'long ago': 'not_connected',
  });
});

test('a probe is done as soon as all keys have replied', async () => {
  const { owner, ids, replied, clock, probes } = await probed('one', 'two');
  replied.set(ids.one!, clock.nowIso());
  expect((await probes.start(owner.accountId, null)).isDone).toBe(false);
  replied.set(ids.two!, clock.nowIso());
  expect((await probes.status(owner.accountId)).isDone).toBe(true);
});

test('a reply after 30 s does not count', async () => {
  const { owner, ids, replied, clock, probes } = await probed('one');
  await probes.start(owner.accountId, null);
  clock.advance(30_000);
  replied.set(ids.one!, clock.nowIso());
  expect((await probes.status(owner.accountId)).keys).toMatchObject([{ verdict: 'not_connected' }]);
});

test('a probe covers only agent keys that people hold, and among those the requested ones', async () => {
  const { store, owner, ids, probes } = await probed('one', 'two', 'revoked', 'bearer');
  const settings = { accountId: owner.accountId, kind: 'settings', name: 's', agentIds: [] } as const;
  await storeKey(store.db, 'svc_settings', settings, NOW);
  await revokeKey(store.db, ids.revoked!, NOW);
  await store.db
    .insertInto('internalBearers')
    .values({ agentId: owner.agentId, keyId: ids.bearer!, sealedKey: '' })
    .execute();
  const names = async (keyIds: string[] | null) =>
    (await probes.start(owner.accountId, keyIds)).keys.map(({ name }) => name).sort();
  expect(await names(null)).toEqual(['one', 'two']);
  expect(await names([ids.two!, 'key_unknown'])).toEqual(['two']);
});

test('each account has its own probe, and an account that started none gets an error', async () => {
  const { store, owner, probes } = await probed('one');
  const other = await seedAccount(store, 'b');
  await probes.start(owner.accountId, null);
  await expect(probes.status(other.accountId)).rejects.toMatchObject({ code: 'probe_not_found' });
});

test('a probe whose result is never fetched is forgotten', async () => {
  const { store, owner, clock, probes } = await probed('one');
  const other = await seedAccount(store, 'b');
  await probes.start(owner.accountId, null);
  clock.advance(10 * 60_000 + 1);
  await probes.start(other.accountId, null);
  await expect(probes.status(owner.accountId)).rejects.toMatchObject({ code: 'probe_not_found' });
});
