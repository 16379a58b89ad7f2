import { expect, test } from 'vitest';
import { approveAgain } from '../../../src/authorization/approve.ts';
import { GrantCache } from '../../../src/authorization/grant-cache.ts';
import { insertAgent } from '../../../src/store/agents/agents.ts';
import { findAuthorization } from '../../../src/store/keys/mcp-authorizations.ts';
import { deleteEmptyGrants, deleteExpiredTokens } from '../../../src/store/keys/oauth-grants.ts';
import { NOW } from '../store/temporary.ts';
import { accessIn, codeIn, connecting, refreshIn } from './connecting.ts';
import { RESOURCE } from './test-domain.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

test('a code lasts five minutes', async () => {
  const { say, redeem, clock } = await connecting();
  const [early, late] = [await say(), await say()];
  clock.advance(299_000);
  expect((await redeem(early)).status).toBe(200);
  clock.advance(2_000);
  expect((await redeem(late)).body).toMatchObject({ error: 'invalid_grant' });
});

test('an access token lasts an hour, and its refresh token 30 days from its last use', async () => {
  const { say, redeem, refresh, clock, domain } = await connecting();
  const first = await redeem(await say());
  clock.advance(HOUR_MS - 1);
  expect(domain.grants.use(accessIn(first))).not.toBeNull();
  clock.advance(1);
  expect(domain.grants.use(accessIn(first))).toBeNull();
  clock.advance(29 * DAY_MS);
  const second = await refresh(refreshIn(first));
  expect(domain.grants.use(accessIn(second))).not.toBeNull();
  clock.advance(30 * DAY_MS);
  expect((await refresh(refreshIn(second))).body).toMatchObject({ error: 'invalid_grant' });
});

test('a grant keeps its id when its tokens are replaced, and its end is reported', async () => {
  const { say, redeem, refresh, domain, changes } = await connecting();
  const first = await redeem(await say());
  const grant = domain.grants.use(accessIn(first))!;
  const second = await refresh(refreshIn(first));
  expect(domain.grants.use(accessIn(second))?.id).toBe(grant.id);
  expect(changes).toEqual([]);
  await refresh(refreshIn(first));
  expect(changes).toEqual([[grant.id, []]]);
});

test('approving a client again changes what its existing tokens can do', async () => {
  const { say, redeem, domain, store, accountId, agentId, changes } = await connecting();
  const token = accessIn(await redeem(await say()));
  const { id } = domain.grants.use(token)!;
  await insertAgent(store.db, { id: 'agt_2', accountId, name: 'Second', isDefault: false, createdAt: NOW });
  await say({ agentIds: [agentId, 'agt_2'] });
  expect(domain.grants.use(token)?.agentIds).toEqual([agentId, 'agt_2']);
  await say({ agentIds: ['agt_2'], platforms: new Set(['sip']) });
  expect(domain.grants.use(token)).toMatchObject({ agentIds: ['agt_2'], platforms: new Set(['sip']) });
  expect(changes).toEqual([
    [id, [agentId, 'agt_2']],
    [id, []],
  ]);
});

test('a person cannot let a client act for an agent of another account', async () => {
  const { say } = await connecting();
  await expect(say({ agentIds: ['agt_other'] })).rejects.toThrow('Agent not found');
  await expect(say({ agentIds: [] })).rejects.toThrow('Agent not found');
});

test('a token is valid only at its resource, and survives a restart', async () => {
  const { say, redeem, store, clock } = await connecting();
  const token = accessIn(await redeem(await say()));
  const ringAt = (url: string) =>
    GrantCache.load(
      store.db,
      clock,
      () => url,
      () => {},
    );
  expect((await ringAt(RESOURCE)).use(token)).not.toBeNull();
  expect((await ringAt('https://elsewhere.example/mcp/')).use(token)).toBeNull();
});

test('a refresh token of another resource is refused', async () => {
  const { say, redeem, refresh, store } = await connecting();
  const token = refreshIn(await redeem(await say()));
  await store.db.updateTable('oauthGrants').set({ resource: 'https://elsewhere.example/mcp/' }).execute();
  expect((await refresh(token)).body).toMatchObject({ error: 'invalid_grant' });
});

test('unredeemed codes and unused grants make room for new ones', async () => {
  const { say, redeem, request, domain, actor, store, accountId, clientId, clock } = await connecting();
  const used = accessIn(await redeem(await say()));
  const authorization = (await findAuthorization(store.db, accountId, clientId))!;
  const again = async () => codeIn(await approveAgain(domain, actor, authorization, request));
  const first = await again();
  for (let i = 0; i < 30; i++) {
    clock.advance(1);
    await again();
  }
  expect((await redeem(first)).body).toMatchObject({ error: 'invalid_grant' });
  expect(domain.grants.use(used), 'codes take nothing from who has tokens').not.toBeNull();
  for (let i = 0; i < 60; i++) {
    clock.advance(1);
    expect((await redeem(await again())).status).toBe(200);
  }
  expect(domain.grants.use(used)).toBeNull();
  const count = (await store.db.selectFrom('oauthGrants').selectAll().execute()).length;
  expect(count).toBeLessThanOrEqual(60);
});

test('expired tokens and grants are deleted', async () => {
  const { say, redeem, store, clock } = await connecting();
  await say();
  await redeem(await say());
  const left = async () => {
    await deleteExpiredTokens(store.db, clock.nowIso(), 100);
    await deleteEmptyGrants(store.db, clock.nowIso(), 100);
    const tokens = await store.db.selectFrom('oauthTokens').select('kind').execute();
    return [
      tokens.map(({ kind }) => kind).sort(),
      (await store.db.selectFrom('oauthGrants').selectAll().execute()).length,
    ];
  };
  expect(await left()).toEqual([['access', 'refresh'], 2]);
  clock.advance(2 * HOUR_MS);
  expect(await left()).toEqual([['refresh'], 1]);
  clock.advance(30 * DAY_MS);
  expect(await left()).toEqual([[], 0]);
});

test('the last use of a client is written once a minute', async () => {
  const { say, redeem, domain, store, accountId, clientId, clock } = await connecting();
  const token = accessIn(await redeem(await say()));
  const lastUsed = async () => (await findAuthorization(store.db, accountId, clientId))?.lastUsedAt;
  domain.grants.use(token);
  const first = clock.nowIso();
  expect(await lastUsed()).toBe(first);
  clock.advance(59_000);
  domain.grants.use(token);
  expect(await lastUsed()).toBe(first);
  clock.advance(1_000);
  domain.grants.use(token);
  expect(await lastUsed()).toBe(clock.nowIso());
});
