import { expect, test, vi } from 'vitest';
import { storeKey } from '../../../../src/accounts/keys/api-keys.ts';
import { KeyCache } from '../../../../src/accounts/keys/key-cache.ts';
import { authenticator as authenticatorOf } from '../../../../src/api/auth/authenticator.ts';
import type { Clock } from '../../../../src/base/time.ts';
import { revokeKey } from '../../../../src/store/keys/keys.ts';
import type { Store } from '../../../../src/store/store.ts';
import { NOW, seedAccount, temporaryStore } from '../../store/temporary.ts';

const AGENT_KEY = `svc_${'a'.repeat(40)}`;
const SETTINGS_KEY = `svc_${'s'.repeat(40)}`;

const SESSION = { id: 'ses_1', accountId: 'acc_1', agentIds: ['agt_1', 'agt_2'] };
const GRANT = {
  id: 'grt_1',
  accountId: 'acc_1',
  authorizationId: 'aut_1',
  clientId: 'cli_1',
  resource: 'http://localhost/mcp/',
  agentIds: ['agt_1'],
  platforms: new Set(['telegram'] as const),
};

/** Keys, the one session `token`, and the one access token `mcp_token`. */
const authenticator = (keys: KeyCache) =>
  authenticatorOf(
    keys,
    { use: (token) => (token === 'token' ? SESSION : null) },
    { use: (token) => (token === 'mcp_token' ? GRANT : null) },
  );

/** A clock whose time is a number that the test sets. */
function handClock(): Clock & { ms: number } {
  return {
    ms: 0,
    nowIso() {
      return new Date(Date.parse(NOW) + this.ms).toISOString();
    },
    monotonicMs() {
      return this.ms;
    },
    after: () => () => {},
  };
}

async function twoKeys() {
  const store = await temporaryStore();
  const { accountId, agentId } = await seedAccount(store, 'a');
  const agentKey = { accountId, kind: 'agent', name: 'k', agentIds: [agentId] } as const;
  const agent = await storeKey(store.db, AGENT_KEY, agentKey, NOW);
  const settingsKey = { accountId, kind: 'settings', name: 's', agentIds: [] } as const;
  const settings = await storeKey(store.db, SETTINGS_KEY, settingsKey, NOW);
  return { store, accountId, agentId, agent, settings };
}

async function lastUsedAt(store: Store, keyId: string): Promise<string | null | undefined> {
  const row = await store.db.selectFrom('apiKeys').selectAll().where('id', '=', keyId).executeTakeFirst();
  return row?.lastUsedAt;
}

test('a key is identified by its text, with its account and agents', async () => {
  const { store, accountId, agentId, agent, settings } = await twoKeys();
  const authenticate = authenticator(await KeyCache.load(store.db, handClock(), () => {}));
  expect(authenticate(AGENT_KEY)).toEqual({
    accountId,
    credentialId: agent.id,
    kind: 'agent',
    agentIds: [agentId],
    platforms: null,
  });
  expect(authenticate(SETTINGS_KEY)).toEqual({
    accountId,
    credentialId: settings.id,
    kind: 'settings',
    agentIds: [],
    platforms: null,
  });
});

test.each([
  null,
  '',
  'svc_',
  AGENT_KEY.slice(0, -1),
  `${AGENT_KEY}a`,
  AGENT_KEY.toUpperCase(),
  `svc_${'a'.repeat(1e6)}`,
])('any other credential is rejected (%#)', async (credential) => {
  const { store } = await twoKeys();
  expect(authenticator(await KeyCache.load(store.db, handClock(), () => {}))(credential)).toBeNull();
});

test('keys created and revoked later take effect after a reload', async () => {
  const { store, accountId, agent } = await twoKeys();
  const ring = await KeyCache.load(store.db, handClock(), () => {});
  const authenticate = authenticator(ring);
  const added = `svc_${'n'.repeat(40)}`;
  await storeKey(store.db, added, { accountId, kind: 'settings', name: 'n', agentIds: [] }, NOW);
  await revokeKey(store.db, agent.id, NOW);
  await ring.reload();
  expect(authenticate(AGENT_KEY)).toBeNull();
  expect(authenticate(added)?.accountId).toBe(accountId);
});

test('the last use is written at most once a minute', async () => {
  const { store, agent, settings } = await twoKeys();
  const clock = handClock();
  const ring = await KeyCache.load(store.db, clock, () => {});
  const authenticate = authenticator(ring);
  authenticate(AGENT_KEY);
  await expect.poll(() => lastUsedAt(store, agent.id)).toBe(NOW);
  expect(await lastUsedAt(store, settings.id)).toBeNull();

  clock.ms = 59_999;
  authenticate(AGENT_KEY);
  await ring.reload();
  authenticate(AGENT_KEY);
  // Statements run in the order in which they were requested, so this read would see a write.
  expect(await lastUsedAt(store, agent.id)).toBe(NOW);

  clock.ms = 60_000;
  authenticate(AGENT_KEY);
  expect(await lastUsedAt(store, agent.id)).toBe('2026-01-02T03:05:05.678Z');
});

test('a failure to write the last use is reported and does not lock the key out', async () => {
  const { store, accountId } = await twoKeys();
  const failed = vi.fn();
  const authenticate = authenticator(await KeyCache.load(store.db, handClock(), failed));
  await store.close();
  expect(authenticate(AGENT_KEY)?.accountId).toBe(accountId);
  await expect.poll(() => failed.mock.calls.length).toBe(1);
});

test('a session acts for all agents of its account', async () => {
  const { store } = await twoKeys();
  const authenticate = authenticator(await KeyCache.load(store.db, handClock(), () => {}));
  expect(authenticate('token')).toEqual({
    accountId: 'acc_1',
    credentialId: 'ses_1',
    kind: 'session',
    agentIds: ['agt_1', 'agt_2'],
    platforms: null,
  });
});

test('an access token acts for the agents and on the platforms of its grant', async () => {
  const { store } = await twoKeys();
  const authenticate = authenticator(await KeyCache.load(store.db, handClock(), () => {}));
  expect(authenticate('mcp_token')).toEqual({
    accountId: 'acc_1',
    credentialId: 'grt_1',
    kind: 'oauth',
    agentIds: ['agt_1'],
    platforms: new Set(['telegram']),
  });
  expect(authenticate('mcp_other')).toBeNull();
});
