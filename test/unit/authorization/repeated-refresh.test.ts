import { expect, test } from 'vitest';
import { endUnderWay } from '../../../src/accounts/people/owners.ts';
import { revokeAuthorization } from '../../../src/authorization/approve.ts';
import { GrantCache } from '../../../src/authorization/grant-cache.ts';
import { revokeToken, tokenIssuer } from '../../../src/authorization/issue-tokens.ts';
import { repeatedPair } from '../../../src/authorization/stored-tokens.ts';
import { deleteOldSuccessors } from '../../../src/store/keys/oauth-grants.ts';
import { accessIn, connecting, refreshIn } from './connecting.ts';
import { RESOURCE } from './test-domain.ts';

/** A client that has refreshed once and lost the answer. */
async function refreshed() {
  const world = await connecting();
  const old = refreshIn(await world.redeem(await world.say()));
  const first = await world.refresh(old);
  const tokens = () => world.store.db.selectFrom('oauthTokens').selectAll().execute();
  const sealed = async () => (await tokens()).filter((token) => token.sealedSuccessor !== null);
  const isDead = async () => (await tokens()).length === 0;
  return { ...world, old, first, tokens, sealed, isDead };
}

const REUSED = { status: 400, body: { error: 'invalid_grant' } };

test('a refresh that is repeated within a minute gets the same tokens', async () => {
  const { old, first, refresh, clock, domain, changes } = await refreshed();
  clock.advance(60_000);
  const second = await refresh(old);
  expect(second.status).toBe(200);
  expect(second.body).toEqual({ ...first.body, expires_in: 3_540 });
  expect((await refresh(old)).body).toEqual(second.body);
  expect(changes).toEqual([]);
  expect(domain.grants.use(accessIn(second))).not.toBeNull();
});

test('a refresh that is repeated after a minute ends the grant', async () => {
  const { old, first, refresh, clock, domain, isDead } = await refreshed();
  clock.advance(60_001);
  expect(await refresh(old)).toMatchObject(REUSED);
  expect(domain.grants.use(accessIn(first))).toBeNull();
  expect(await isDead()).toBe(true);
});

test('a repeated refresh ends the grant once the new access token was used', async () => {
  const { old, first, refresh, domain, sealed, isDead } = await refreshed();
  expect(await sealed()).toHaveLength(1);
  expect(domain.grants.use(accessIn(first))).not.toBeNull();
  expect(await sealed(), 'it is forgotten').toEqual([]);
  expect(await refresh(old)).toMatchObject(REUSED);
  expect(await isDead()).toBe(true);
});

test('a repeated refresh ends the grant once the new refresh token was used', async () => {
  const { old, first, refresh, isDead, sealed } = await refreshed();
  expect((await refresh(refreshIn(first))).status).toBe(200);
  expect(await sealed()).toHaveLength(1);
  expect(await refresh(old)).toMatchObject(REUSED);
  expect(await isDead()).toBe(true);
});

test('another client that uses the old token ends the grant', async () => {
  const { old, refresh, register, isDead } = await refreshed();
  const stolen = await refresh(old, { client_id: await register() });
  expect(stolen).toMatchObject(REUSED);
  expect(JSON.stringify(stolen.body)).not.toMatch(/mc[pr]_/);
  expect(await isDead()).toBe(true);
});

test('a client that fails to authenticate neither gets the tokens nor ends the grant', async () => {
  const { old, refresh, isDead } = await refreshed();
  for (const wrong of [{ client_id: 'cli_none' }, { client_secret: 'guessed' }])
    expect((await refresh(old, wrong)).body).toMatchObject({ error: 'invalid_client' });
  expect(await isDead()).toBe(false);
  expect((await refresh(old)).status).toBe(200);
});

test('parallel refreshes all get the same tokens', async () => {
  const { say, redeem, refresh, store, domain } = await connecting();
  const old = refreshIn(await redeem(await say()));
  const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(old)));
  expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
  expect(new Set(answers.map(accessIn)).size).toBe(1);
  expect(new Set(answers.map(refreshIn)).size).toBe(1);
  const tokens = await store.db.selectFrom('oauthTokens').selectAll().execute();
  expect(tokens.map(({ kind }) => kind).sort()).toEqual(['access', 'refresh', 'refresh']);
  expect(domain.grants.use(accessIn(answers[0]!))).not.toBeNull();
});

test('a client that was revoked, or revoked its token, gets nothing by repeating', async () => {
  for (const end of ['revoke', 'give back'] as const) {
    const { old, first, refresh, domain, actor, clientId } = await refreshed();
    if (end === 'revoke') await revokeAuthorization(domain, actor, clientId);
    else await revokeToken(domain, { form: { client_id: clientId, token: old }, authorization: '' });
    expect(await refresh(old)).toMatchObject(REUSED);
    expect(domain.grants.use(accessIn(first))).toBeNull();
  }
});

test('a refresh from before a password change cannot be repeated', async () => {
  const { old, refresh, store, accountId, clock, isDead } = await refreshed();
  const kept = { sessionId: null, linkHash: '' };
  await store.db.transaction().execute((trx) => endUnderWay(trx, accountId, clock.nowIso(), kept));
  expect(await refresh(old)).toMatchObject(REUSED);
  expect(await isDead()).toBe(true);
});

test('a refresh can be repeated after a restart, which remembers the used tokens', async () => {
  const { old, first, domain, store, clock, clientId } = await refreshed();
  const restarted = async () => {
    const grants = await GrantCache.load(
      store.db,
      clock,
      () => RESOURCE,
      () => {},
    );
    const issue = tokenIssuer({ ...domain, grants });
    const form = { grant_type: 'refresh_token', refresh_token: old, client_id: clientId };
    return await issue({ form, authorization: '' });
  };
  expect((await restarted()).body).toEqual(first.body);
  domain.grants.use(accessIn(first));
  expect(await restarted()).toMatchObject(REUSED);
});

test('the database holds no token as plain text, and opens none without the old one', async () => {
  const { old, first, tokens, sealed, clock } = await refreshed();
  const text = JSON.stringify(await tokens());
  for (const token of [old, accessIn(first), refreshIn(first)])
    for (const form of [
      token,
      Buffer.from(token).toString('base64').slice(4, -4),
      Buffer.from(token).toString('hex'),
    ])
      expect(text).not.toContain(form);
  const [row] = await sealed();
  expect(repeatedPair(row!, old, clock.nowIso())).toEqual({
    accessToken: accessIn(first),
    refreshToken: refreshIn(first),
  });
  for (const wrong of [refreshIn(first), row!.tokenHash, ''])
    expect(() => repeatedPair(row!, wrong, clock.nowIso())).toThrow();
  expect(() => repeatedPair({ ...row!, tokenHash: 'moved' }, old, clock.nowIso())).toThrow();
});

test('sealed tokens are deleted when they can no longer be requested', async () => {
  const { clock, sealed, store, say, redeem, refresh } = await refreshed();
  const other = refreshIn(await redeem(await say()));
  clock.advance(60_001);
  await refresh(other);
  expect(await sealed(), 'by the next refresh of anybody').toHaveLength(1);
  clock.advance(60_001);
  expect(
    await deleteOldSuccessors(store.db, new Date(Date.parse(clock.nowIso()) - 60_000).toISOString(), 9),
  ).toBe(1);
  expect(await sealed()).toEqual([]);
});

test('a refresh for fewer platforms narrows the access token, and the next one widens it again', async () => {
  const { old, first, refresh, domain, changes } = await refreshed();
  const { id } = domain.grants.use(accessIn(first))!;
  const narrow = await refresh(refreshIn(first), { scope: 'sip telegram' });
  expect(narrow.body).toMatchObject({ scope: 'telegram sip' });
  expect(domain.grants.use(accessIn(narrow))?.platforms).toEqual(new Set(['telegram', 'sip']));
  expect(changes, 'what it had open with more is closed').toEqual([[id, []]]);
  const whole = await refresh(refreshIn(narrow));
  expect(domain.grants.use(accessIn(whole))?.platforms).toBeNull();
  expect(old).not.toBe(refreshIn(whole));
});

test('a refresh for ungranted or unknown platforms is refused without side effects', async () => {
  const { say, redeem, refresh } = await connecting();
  const first = await redeem(await say({ platforms: new Set(['sip']) }));
  for (const scope of ['telegram', 'sip telegram', 'openid', 'sip openid', 'SIP', '"'])
    expect([scope, (await refresh(refreshIn(first), { scope })).body]).toMatchObject([
      scope,
      { error: 'invalid_scope' },
    ]);
  expect((await refresh(refreshIn(first), { scope: 'sip' })).body).toMatchObject({ scope: 'sip' });
});

test('a new consent also limits narrowed tokens', async () => {
  const { first, refresh, say, domain } = await refreshed();
  const narrow = await refresh(refreshIn(first), { scope: 'telegram sip' });
  await say({ platforms: new Set(['sip', 'slack']) });
  expect(domain.grants.use(accessIn(narrow))?.platforms).toEqual(new Set(['sip']));
});

test('a repeat for a smaller scope than the first is refused, and ends nothing', async () => {
  const { old, first, refresh } = await refreshed();
  expect((await refresh(old, { scope: 'sip' })).body).toMatchObject({ error: 'invalid_scope' });
  expect((await refresh(old)).body).toEqual(first.body);
});
