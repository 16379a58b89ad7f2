import type { ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'kysely';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  closeConnections,
  handOverConnections,
  openConnections,
} from '../../../../src/accounts/connections/connections.ts';
import { openTokens } from '../../../../src/store/logins/login-connections.ts';
import { answersJson, OAuthPlatform } from '../../../support/oauth-platform.ts';
import { ConnectionsServer, OTHER_PLATFORM, PLATFORM } from '../../api/connections-server.ts';
import { eventually } from '../../api/served.ts';

const LIFETIME_MS = OAuthPlatform.lifetimeS * 1000;

let server: ConnectionsServer;
let platform: OAuthPlatform;
let id: string;
/** Requests to the token endpoint before the test began. */
let before: number;

beforeEach(async () => {
  server = await ConnectionsServer.start();
  ({ platform } = server);
  id = await server.connect('ann');
  before = platform.tokenRequests;
});

const token = () => platform.tokens!.accessToken(id);
const refused = (was: string) => platform.tokens!.refused(id, was);
const asked = () => platform.tokenRequests - before;
const code = (name: string) => expect.objectContaining({ code: name });

async function stored() {
  const [row] = await server.rows();
  return { status: row!.status, expiresAt: row!.expiresAt, tokens: openTokens(server.store.secrets, row!) };
}

/** Statuses that were announced after the first, which is `ok`. */
async function announced(): Promise<string[]> {
  return ((await server.events('ann')) as { status: string }[]).slice(1).map(({ status }) => status);
}

const works = async (accessToken: string) => (await platform.userinfo(accessToken)).status;

describe('an access token', () => {
  it('comes from memory until shortly before it expires', async () => {
    const first = await token();
    expect(await works(first)).toBe(200);
    server.clock.turn(LIFETIME_MS - 65_000);
    expect([await token(), asked()]).toEqual([first, 0]);
    server.clock.turn(10_000);
    const second = await token();
    expect([second === first, await works(second), asked()]).toEqual([false, 200, 1]);
  });

  it('is refreshed once for all who wait for it, and stored with the new refresh token', async () => {
    const former = (await stored()).tokens!;
    server.clock.turn(LIFETIME_MS);
    const all = await Promise.all(Array.from({ length: 100 }, token));
    expect([new Set(all).size, asked()]).toEqual([1, 1]);
    const { tokens, expiresAt, status } = await stored();
    expect(tokens!.accessToken).toBe(all[0]);
    expect([tokens!.refreshToken === former.refreshToken, status]).toEqual([false, 'ok']);
    expect(Date.parse(expiresAt!)).toBeGreaterThan(Date.parse(server.clock.nowIso()) + LIFETIME_MS - 10_000);
    // The platform revokes everything when a refresh token is used twice, so each one was used once.
    for (let i = 0; i < 3; i++) {
      server.clock.turn(LIFETIME_MS);
      expect(await works(await token())).toBe(200);
    }
  });

  it('is stored before anyone gets it', async () => {
    server.clock.turn(LIFETIME_MS);
    const fresh = token().then(async (text) => [text, (await stored()).tokens!.accessToken]);
    const [given, kept] = await fresh;
    expect(given).toBe(kept);
  });

  it('is waited for 15 s at most, and stored all the same', async () => {
    server.clock.turn(LIFETIME_MS);
    const { promise, resolve: release } = Promise.withResolvers<void>();
    const holding = server.store.db.transaction().execute(() => promise);
    const waiting = Promise.allSettled([token(), refused('any')]);
    server.clock.turn(15_000);
    for (const each of await waiting)
      expect(each).toMatchObject({ status: 'rejected', reason: code('platform_failed') });
    release();
    await holding;
    expect(await works(await token())).toBe(200);
    expect([asked(), (await stored()).status]).toEqual([1, 'ok']);
  });

  it.each(['interaction_required', 'login_required', 'consent_required'])(
    'that the platform refuses to refresh with %s makes the connection lost',
    async (error) => {
      server.clock.turn(LIFETIME_MS);
      platform.will(answersJson(400, { error, error_description: 'Sign in again' }));
      await expect(token()).rejects.toEqual(code('connection_lost'));
      expect(await stored()).toMatchObject({ status: `${error}: Sign in again`, tokens: null });
    },
  );

  it('comes from the database after a restart', async () => {
    const first = await token();
    const again = openConnections(server.domain.connections);
    await handOverConnections(again);
    expect([await token(), asked()]).toEqual([first, 0]);
  });

  it('is refreshed once when the platform refuses it, for all who report it', async () => {
    const first = await token();
    const all = await Promise.all(Array.from({ length: 20 }, () => refused(first)));
    expect([new Set(all).size, all[0] === first, asked()]).toEqual([1, false, 1]);
    expect(await works(all[0]!)).toBe(200);
    expect([await refused(first), asked()]).toEqual([all[0], 1]);
  });

  it('that is refused right after its refresh makes the connection lost', async () => {
    const second = await refused(await token());
    await expect(refused(second)).rejects.toEqual(code('connection_lost'));
    expect(asked()).toBe(1);
    expect(await stored()).toMatchObject({ status: 'The platform refuses the access token', tokens: null });
    await expect(token()).rejects.toMatchObject({ message: 'The platform refuses the access token' });
    expect(await announced()).toEqual(['The platform refuses the access token']);
  });

  it('that is refused later is refreshed again', async () => {
    const second = await refused(await token());
    server.clock.turn(61_000);
    expect(await works(await refused(second))).toBe(200);
  });

  it('belongs to one platform', async () => {
    const other = server.domain.connections.tokens.get(OTHER_PLATFORM)!;
    await expect(other.accessToken(id)).rejects.toEqual(code('connection_not_found'));
    await expect(other.refused(id, await token())).rejects.toEqual(code('connection_not_found'));
    expect(asked()).toBe(0);
  });
});

describe('a connection that the platform has revoked', () => {
  it('is lost with the platform’s words, announced once, and can be renewed', async () => {
    const { tokens } = await stored();
    await platform.revoke(tokens!, AbortSignal.timeout(5_000));
    const first = tokens!.accessToken;
    await expect(refused(first)).rejects.toEqual(code('connection_lost'));
    const { status, ...rest } = await stored();
    expect([status, rest]).toEqual([
      expect.stringMatching(/^invalid_grant: /),
      { expiresAt: null, tokens: null },
    ]);
    expect(await announced()).toEqual([status]);
    const { platforms } = (await server.api('ann').get('/api/platforms')).body;
    expect(platforms.find((each: { platform: string }) => each.platform === PLATFORM)).toMatchObject({
      status,
    });
    await expect(token()).rejects.toMatchObject({ code: 'connection_lost', message: status });
    expect([await announced(), asked()]).toEqual([[status], 1]);

    expect(await server.connect('ann', { connection_id: id })).toBe(id);
    expect(await works(await token())).toBe(200);
    expect(await announced()).toEqual([status, 'ok']);
  });

  it('is lost when it has no refresh token', async () => {
    platform.identity = () => ({ providerUserId: 'T1 U1', label: 'Workspace', email: null, person: null });
    platform.will(answersJson(200, { access_token: 'xoxb-1', token_type: 'bot' }));
    const other = await server.connect('ann');
    const get = () => platform.tokens!.accessToken(other);
    server.clock.turn(30 * 86_400_000);
    expect(await get()).toBe('xoxb-1');
    await server.store.db.updateTable('connections').set({ expiresAt: '2001-01-01T00:00:00.000Z' }).execute();
    openConnections(server.domain.connections);
    expect(await get()).toBe('xoxb-1');
    await expect(platform.tokens!.refused(other, 'xoxb-1')).rejects.toMatchObject({
      code: 'connection_lost',
      message: 'The access token is over, and the platform issued none to refresh it',
    });
  });
});

describe('a platform that fails to refresh', () => {
  it('leaves a token in use until it expires', async () => {
    const first = await token();
    server.clock.turn(LIFETIME_MS - 30_000);
    platform.will(answersJson(503, { error: 'server_error' }));
    expect([await token(), asked()]).toEqual([first, 1]);
    expect([await token(), asked()]).toEqual([first, 1]);
    server.clock.turn(1_000);
    expect([(await token()) === first, asked()]).toEqual([false, 2]);
  });

  it('is asked again after 1 s, 2 s, 4 s and so on, and the connection stays', async () => {
    server.clock.turn(LIFETIME_MS);
    const down = answersJson(500, {});
    for (const [pauseMs, requests] of [
      [1_000, 1],
      [2_000, 2],
      [4_000, 3],
    ] as const) {
      platform.will(down);
      await expect(token()).rejects.toMatchObject({ code: 'platform_failed' });
      server.clock.turn(pauseMs - 300);
      await expect(token()).rejects.toMatchObject({
        message: "The platform's answer cannot be used (HTTP status 500)",
      });
      expect(asked()).toBe(requests);
      server.clock.turn(300);
    }
    expect(await works(await token())).toBe(200);
    expect([await announced(), (await stored()).status]).toEqual([[], 'ok']);
    expect(server.failures).toHaveLength(3);
  });

  it('is asked again by the next start when its answer was lost', async () => {
    const former = (await stored()).tokens!;
    server.clock.turn(LIFETIME_MS);
    platform.will((response) => response.destroy());
    await expect(token()).rejects.toEqual(code('platform_failed'));
    expect((await stored()).tokens).toEqual({ ...former, isRefreshing: true });
    const next = openConnections(server.domain.connections);
    await handOverConnections(next);
    await closeConnections(next, 5_000);
    const { tokens } = await stored();
    expect([asked(), tokens!.isRefreshing, await works(tokens!.accessToken)]).toEqual([2, undefined, 200]);
    expect(await token()).toBe(tokens!.accessToken);
  });

  it('loses no connection by refusing the gateway itself', async () => {
    server.clock.turn(LIFETIME_MS);
    platform.will(answersJson(401, { error: 'invalid_client', error_description: 'wrong secret' }));
    await expect(token()).rejects.toMatchObject({
      code: 'platform_failed',
      message: 'invalid_client: wrong secret',
    });
    expect((await stored()).tokens).not.toBeNull();
    server.clock.turn(1_000);
    expect(await works(await token())).toBe(200);
  });

  it('never answers, which ends after 10 s', async () => {
    server.clock.turn(LIFETIME_MS);
    const held = hold();
    const waiting = [token(), token()].map((each) => each.catch((error: Error) => error.message));
    await held.asked;
    server.clock.turn(10_000);
    const late = 'The platform did not answer in time';
    expect([await Promise.all(waiting), asked()]).toEqual([[late, late], 1]);
  });

  it('leaves out the refresh token, so the former one stays', async () => {
    const { refreshToken } = (await stored()).tokens!;
    platform.will(answersJson(200, { access_token: 'next', token_type: 'bearer', expires_in: 3_600 }));
    server.clock.turn(LIFETIME_MS);
    expect(await token()).toBe('next');
    expect((await stored()).tokens).toEqual({ accessToken: 'next', refreshToken });
  });

  it('gives tokens that last less than a minute, each of which is used for half of its time', async () => {
    const brief = (access_token: string) =>
      answersJson(200, { access_token, token_type: 'b', expires_in: 20 });
    server.clock.turn(LIFETIME_MS);
    platform.will(brief('one'), brief('two'), brief('three'));
    expect([await token(), await token(), asked()]).toEqual(['one', 'one', 1]);
    server.clock.turn(11_000);
    expect([await token(), asked()]).toEqual(['two', 2]);
    server.clock.turn(30_000);
    expect([await works(await token()), asked(), await announced()]).toEqual([401, 3, []]);
  });
});

/** Lets the next request for tokens wait until it is answered. */
function hold(): { readonly asked: Promise<void>; readonly answered: Promise<ServerResponse> } {
  const { promise, resolve } = Promise.withResolvers<ServerResponse>();
  platform.will(resolve);
  return { asked: promise.then(() => undefined), answered: promise };
}

describe('while a token is being refreshed', () => {
  const FRESH = {
    access_token: 'fresh',
    refresh_token: 'fresh-too',
    token_type: 'bearer',
    expires_in: 3_600,
  };
  const answer = async (held: ReturnType<typeof hold>) =>
    (await held.answered).writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(FRESH));

  it('the connection is deleted: the new tokens are revoked, and nobody gets them', async () => {
    server.clock.turn(LIFETIME_MS);
    const held = hold();
    const waiting = token().catch((error: { code: string }) => error.code);
    await held.asked;
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(200);
    await answer(held);
    expect([await waiting, await server.rows()]).toEqual(['connection_not_found', []]);
    expect(platform.revoked.map(({ accessToken }) => accessToken)).toEqual([expect.any(String), 'fresh']);
  });

  it('the connection is renewed: the tokens of its owner count', async () => {
    server.clock.turn(LIFETIME_MS);
    const held = hold();
    const waiting = token();
    await held.asked;
    await server.connect('ann');
    await answer(held);
    const given = await waiting;
    expect([given === 'fresh', await works(given)]).toEqual([false, 200]);
    expect((await stored()).tokens!.accessToken).toBe(given);
  });

  it('the disk is full: the new tokens are kept and stored later', async () => {
    const { db } = server.store;
    const fill = () =>
      sql`create trigger full before update on connections begin select raise(abort, 'full'); end`.execute(
        db,
      );
    const empty = () => sql`drop trigger full`.execute(db);
    server.clock.turn(LIFETIME_MS);
    const held = hold();
    const waiting = expect(token()).rejects.toThrow('full');
    await held.asked;
    await fill();
    await answer(held);
    await waiting;
    await expect(token()).rejects.toThrow('full');
    await empty();
    expect([await token(), asked()]).toEqual(['fresh', 1]);
  });

  it('the disk was full before: the platform is not asked for what cannot be stored', async () => {
    const { db } = server.store;
    await sql`create trigger full before update on connections begin select raise(abort, 'full'); end`.execute(
      db,
    );
    server.clock.turn(LIFETIME_MS);
    await expect(token()).rejects.toThrow('full');
    expect(asked()).toBe(0);
    await sql`drop trigger full`.execute(db);
    expect([await works(await token()), asked()]).toEqual([200, 1]);
  });
});

it('closing waits until refreshed tokens are stored, but only so long', async () => {
  server.clock.turn(LIFETIME_MS);
  const { connections } = server.domain;
  const held = hold();
  const waiting = token();
  await held.asked;
  let isClosed = false;
  const closing = closeConnections(connections, 5_000).then(() => {
    isClosed = true;
  });
  await wait(20);
  expect(isClosed).toBe(false);
  const fresh = { access_token: 'fresh', token_type: 'bearer' };
  (await held.answered).writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(fresh));
  await closing;
  expect([(await stored()).tokens!.accessToken, await waiting]).toEqual(['fresh', 'fresh']);

  server.clock.turn(61_000);
  const again = hold();
  const late = refused('fresh').catch((error: { code: string }) => error.code);
  await again.asked;
  const closed = closeConnections(connections, 5_000);
  server.clock.turn(5_000);
  await closed;
  server.clock.turn(5_000);
  expect(await late).toBe('platform_failed');
});

describe('a wrong clock', () => {
  it('that was set back while the gateway was down is found out by the platform’s refusal', async () => {
    const first = await token();
    await server.store.db.updateTable('connections').set({ expiresAt: '2099-01-01T00:00:00.000Z' }).execute();
    openConnections(server.domain.connections);
    expect(await token()).toBe(first);
    expect(await works(await refused(first))).toBe(200);
  });

  it('that is ahead costs one refresh', async () => {
    await server.store.db.updateTable('connections').set({ expiresAt: '2001-01-01T00:00:00.000Z' }).execute();
    openConnections(server.domain.connections);
    expect([await works(await token()), await works(await token()), asked()]).toEqual([200, 200, 1]);
  });
});

describe('a status that the connector reports', () => {
  const report = (status: string, of = id) => platform.tokens!.report(of, status);

  it('is stored and announced when it changes', async () => {
    report('An administrator has to approve it');
    report('An administrator has to approve it');
    await eventually(() => server.woken.length === 2);
    expect(await announced()).toEqual(['An administrator has to approve it']);
    report('ok');
    await eventually(() => server.woken.length === 3);
    expect(await announced()).toEqual(['An administrator has to approve it', 'ok']);
    expect(await token()).toBeTruthy();
  });

  it('is one short line, of a connection of the platform', async () => {
    report(`broken\r\n${'x'.repeat(65_536)}`);
    await eventually(() => server.woken.length === 2);
    const { status } = await stored();
    expect([status.startsWith('broken x'), status.length]).toEqual([true, 300]);
    report('ok', 'con_none');
    report('');
    await eventually(() => server.woken.length === 3);
    expect((await stored()).status).toBe('unknown');
  });
});
