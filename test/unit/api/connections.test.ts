import { beforeEach, describe, expect, it } from 'vitest';
import { handOverConnections, openConnections } from '../../../src/accounts/connections/connections.ts';
import { platformStatuses } from '../../../src/accounts/logins/platform-status.ts';
import { newestConnection } from '../../../src/store/agents/test-targets.ts';
import { openTokens } from '../../../src/store/logins/login-connections.ts';
import { auditOf } from './account-server.ts';
import { ANN_THERE, ConnectionsServer, PLATFORM } from './connections-server.ts';

let server: ConnectionsServer;

beforeEach(async () => {
  server = await ConnectionsServer.start();
});

const listed = async (name: 'ann' | 'bob') => {
  const { platforms } = (await server.api(name).get('/api/platforms')).body;
  return platforms.find(({ platform }: { platform: string }) => platform === PLATFORM);
};

describe('connecting a platform', () => {
  it('stores sealed tokens, joins the default agent, tells connector, feed and audit log', async () => {
    const id = await server.connect('ann');
    const [row] = await server.rows();
    expect(row).toMatchObject({
      id,
      accountId: 'acc_ann',
      provider: PLATFORM,
      providerUserId: 'ann-there',
      label: 'Ann There',
      email: 'ann@there.example',
      status: 'ok',
      scopes: 'openid email profile',
    });
    expect(Date.parse(row!.expiresAt!) - Date.now()).toBeGreaterThan(3_500_000);
    const tokens = openTokens(server.store.secrets, row!)!;
    expect([tokens.accessToken, tokens.refreshToken]).toEqual([expect.any(String), expect.any(String)]);
    expect(JSON.stringify(row)).not.toContain(tokens.accessToken);
    expect(await server.store.db.selectFrom('agentAccounts').selectAll().execute()).toEqual([
      { agentId: 'agt_ann', memberType: 'connection', memberId: id },
    ]);
    expect([...server.platform.connections.values()]).toEqual([
      {
        id,
        accountId: 'acc_ann',
        providerUserId: 'ann-there',
        label: 'Ann There',
        email: 'ann@there.example',
        scopes: ['openid', 'email', 'profile'],
      },
    ]);
    expect(await server.events('ann')).toEqual([
      {
        type: 'connection_status',
        platform: PLATFORM,
        agentId: 'agt_ann',
        connection_id: id,
        label: 'Ann There',
        status: 'ok',
      },
    ]);
    expect(server.woken).toEqual(['acc_ann']);
    expect(await auditOf(server.store, 'acc_ann')).toEqual([['connection.create', id]]);
    expect(await server.store.db.selectFrom('connectionStates').selectAll().execute()).toEqual([]);
  });

  it('sends the browser to the platform with state, challenge and the declared parameters', async () => {
    const answer = await server.start('ann');
    expect([answer.status, answer.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { authorize_url: authorizeUrl } = (await answer.json()) as { authorize_url: string };
    const asked = Object.fromEntries(new URL(authorizeUrl).searchParams);
    expect(asked).toEqual({
      access_type: 'offline',
      response_type: 'code',
      client_id: 'gateway',
      redirect_uri: `${server.url}/api/oauth/${PLATFORM}/callback`,
      scope: 'openid email profile',
      state: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
    });
    const [row] = await server.store.db.selectFrom('connectionStates').selectAll().execute();
    expect(row).toMatchObject({
      credentialKind: 'session',
      credentialId: 'ses_acc_ann',
      email: 'ann@example.com',
    });
    expect(JSON.stringify(row)).not.toContain(asked.state);
  });

  it('answers the browser with a page that is neither stored nor referred to', async () => {
    const browser = server.browser('ann');
    const answer = await browser.get(await server.comeBack(browser, await server.start('ann')));
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('is connected')]);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('referrer-policy')).toBe('no-referrer');
  });

  it('returns only to pages of the gateway', async () => {
    const browser = server.browser('ann');
    const started = await server.start('ann', { return_to: '/dashboard/platforms?tab=1' });
    const answer = await browser.get(await server.comeBack(browser, started));
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      `${server.url}/dashboard/platforms?tab=1`,
    ]);
    for (const return_to of [
      'https://evil.example/dashboard',
      '//evil.example/dashboard',
      '/dashboard@evil.example',
      '/dashboard/../api/export',
      '/dashboard/%2e%2e/api/export',
      '/dashboard/\\evil.example',
      '/dashboard\r\nSet-Cookie: a=b',
      'javascript:alert(1)',
      `/dashboard/${'x'.repeat(600)}`,
    ])
      expect([return_to, (await server.start('ann', { return_to })).status]).toEqual([return_to, 422]);
  });

  it('knows only platforms that are connected by OAuth and that the operator has set up', async () => {
    for (const name of ['sip', 'teams', 'nobody', 'constructor']) {
      const answer = await server.start('ann', null, name);
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { detail: 'No such platform, or it is not connected by OAuth', code: 'oauth_not_offered' },
      ]);
      const callback = await fetch(`${server.url}/api/oauth/${name}/callback?state=x&code=y`);
      expect([name, callback.status]).toEqual([name, 404]);
    }
    server.platform.client = null;
    const answer = await server.start('ann');
    expect([answer.status, await answer.json()]).toEqual([
      400,
      {
        detail: `The operator of this gateway has not set up connections to ${PLATFORM}`,
        code: 'platform_not_configured',
      },
    ]);
  });

  it('connecting the same account of the platform again renews the connection', async () => {
    const id = await server.connect('ann');
    const former = (await server.rows())[0]!;
    server.platform.peer.person = { ...ANN_THERE, name: 'Ann Elsewhere' };
    expect(await server.connect('ann')).toBe(id);
    const [row] = await server.rows();
    expect(await server.rows()).toHaveLength(1);
    expect([row!.label, row!.sealedCredentials === former.sealedCredentials]).toEqual([
      'Ann Elsewhere',
      false,
    ]);
    expect((await auditOf(server.store, 'acc_ann')).map(([action]) => action)).toEqual([
      'connection.create',
      'connection.renew',
    ]);
  });

  it('shows connections with label and status, to their own account', async () => {
    const id = await server.connect('ann');
    expect(await listed('ann')).toMatchObject({
      status: 'ok',
      accounts: [{ type: 'connection', id, label: 'Ann There', status: 'ok' }],
    });
    expect(await listed('bob')).toMatchObject({ status: 'not_configured', accounts: [] });
    const viewer = { accountId: 'acc_ann', agentIds: ['agt_ann'], platforms: null };
    expect(await platformStatuses(server.domain, viewer)).toContainEqual(
      expect.objectContaining({
        platform: PLATFORM,
        identity: { agent: 'Ann There', operator: 'ann@there.example' },
      }),
    );
  });

  it('links the person behind it to the shared login, or makes it a login of its own', async () => {
    const known = { providerUserId: 'u', label: 'U', email: null };
    for (const [login, loginKey] of [
      ['shared', 'shared'],
      ['connection', null],
    ] as const) {
      server.platform.identity = () => ({ ...known, person: { id: 'person 1', login } });
      await server.connect('ann');
      expect(await server.rows()).toMatchObject([{ loginKey, remoteId: 'person 1' }]);
      const target = await newestConnection(server.store.db, 'acc_ann', PLATFORM, null);
      if (loginKey !== null) expect(target).toMatchObject({ remoteId: 'person 1', label: 'U' });
    }
  });

  it('hands every stored connection over at start', async () => {
    const ids = [await server.connect('ann')];
    server.platform.peer.person = { subject: 'bob-there' };
    ids.push(await server.connect('bob'));
    server.platform.connections.clear();
    await handOverConnections(openConnections(server.domain.connections));
    expect([...server.platform.connections.keys()].sort()).toEqual(ids.sort());
  });

  it('marks connections whose tokens another master key sealed, and hands over the others', async () => {
    const id = await server.connect('ann');
    await server.store.db.updateTable('connections').set({ sealedCredentials: 'v1.other.key' }).execute();
    server.platform.connections.clear();
    await handOverConnections(server.domain.connections);
    expect(server.platform.connections.size).toBe(0);
    expect(await listed('ann')).toMatchObject({
      accounts: [{ id, status: 'The credentials cannot be decrypted' }],
    });
  });
});

describe('connecting with a settings key', () => {
  const started = async () => {
    const answer = await server.api('ann').post(`/api/oauth/start/${PLATFORM}`);
    expect(answer.status).toBe(200);
    return new Response(JSON.stringify(answer.body));
  };

  it('asks in a browser without a session, and connects after a click', async () => {
    const browser = server.browser(null);
    const callback = await server.comeBack(browser, await started());
    const question = await browser.get(callback);
    const text = await question.text();
    expect([question.status, text]).toEqual([200, expect.stringContaining('ann@example.com')]);
    expect(text).toContain('<form method="post">');
    expect(question.headers.get('x-frame-options')).toBe('DENY');
    expect(await server.rows()).toEqual([]);
    const foreign = await fetch(callback, { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } });
    expect([foreign.status, await server.rows()]).toEqual([403, []]);
    const answer = await fetch(callback, { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } });
    expect([answer.status, (await server.rows()).length]).toEqual([200, 1]);
    expect((await fetch(callback, { method: 'POST' })).status).toBe(400);
  });

  it('names an account without an address by what it is, not by the name that it gave itself', async () => {
    await server.store.db
      .updateTable('accounts')
      .set({ email: null, name: 'Security team' })
      .where('id', '=', 'acc_ann')
      .execute();
    const browser = server.browser(null);
    const text = await (await browser.get(await server.comeBack(browser, await started()))).text();
    expect(text).toContain('the operator of this gateway');
    expect(text).not.toContain('Security team');
  });

  it('connects at once in a session of the same account', async () => {
    const browser = server.browser('ann');
    expect((await browser.get(await server.comeBack(browser, await started()))).status).toBe(200);
    expect(await server.rows()).toMatchObject([{ accountId: 'acc_ann' }]);
  });

  it('does not connect in a session of another account, asked or not', async () => {
    for (const method of ['GET', 'POST']) {
      const browser = server.browser('bob');
      const callback = await server.comeBack(browser, await started());
      const headers = { cookie: 'svc_session=ses_acc_bob', 'sec-fetch-site': 'same-origin' };
      expect((await fetch(callback, { method, headers })).status).toBe(400);
    }
    expect(await server.rows()).toEqual([]);
  });

  it('shows what the platform refused, without asking first', async () => {
    server.platform.peer.refuses = true;
    const browser = server.browser(null);
    const answer = await browser.get(await server.comeBack(browser, await started()));
    expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('access_denied')]);
  });

  it('ends with the key', async () => {
    const browser = server.browser('ann');
    const callback = await server.comeBack(browser, await started());
    await server.store.db.updateTable('apiKeys').set({ revokedAt: '2026-01-01T00:00:00.000Z' }).execute();
    expect((await browser.get(callback)).status).toBe(400);
    expect(await server.rows()).toEqual([]);
  });
});

describe('reconnecting', () => {
  it('renews a lost connection by signing in to the same account of the platform', async () => {
    const id = await server.connect('ann');
    await server.store.db.updateTable('connections').set({ status: 'expired or revoked' }).execute();
    expect(await server.connect('ann', { connection_id: id })).toBe(id);
    expect(await server.rows()).toMatchObject([{ id, status: 'ok' }]);
  });

  it('refuses another account of the platform', async () => {
    const id = await server.connect('ann');
    const former = await server.rows();
    server.platform.peer.person = { subject: 'somebody-else' };
    await expect(server.connect('ann', { connection_id: id })).rejects.toThrow(
      'another account of the platform',
    );
    expect(await server.rows()).toEqual(former);
  });

  it('refuses the connection of another account, or of another kind', async () => {
    const id = await server.connect('ann');
    for (const [name, connection_id] of [
      ['bob', id],
      ['ann', 'con_none'],
    ] as const) {
      const answer = await server.start(name, { connection_id });
      expect([answer.status, await answer.json()]).toEqual([
        404,
        { detail: 'Connection not found', code: 'connection_not_found' },
      ]);
    }
  });
});

describe('disconnecting', () => {
  it('deletes the row, ends calls, tells the connector and has the platform revoke the access', async () => {
    const id = await server.connect('ann');
    const token = await server.platform.tokens!.accessToken(id);
    expect((await server.platform.userinfo(token)).status).toBe(200);
    expect((await server.api('bob').delete(`/api/connections/${id}`)).status).toBe(404);
    expect((await server.api('ann').delete(`/api/connections/${id}`)).body).toEqual({ status: 'deleted' });
    expect(await server.rows()).toEqual([]);
    expect(server.ended).toEqual([['acc_ann', id, 'the connection to the platform was deleted']]);
    expect(server.platform.ended).toEqual([id]);
    expect(server.platform.revoked).toHaveLength(1);
    expect((await server.platform.userinfo(token)).status).toBe(401);
    await expect(server.platform.tokens!.accessToken(id)).rejects.toMatchObject({
      code: 'connection_not_found',
    });
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(404);
  });

  it('succeeds when the platform cannot be asked, and says so to the operator', async () => {
    const id = await server.connect('ann');
    const tokens = openTokens(server.store.secrets, (await server.rows())[0]!)!;
    server.platform.beforeRevoke = () => {
      throw new Error(`not today, ${tokens.refreshToken}`);
    };
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(200);
    expect(server.failures).toEqual(['access could not be revoked: Error: not today, …']);
  });

  it('waits 5 s at most for the platform', async () => {
    const id = await server.connect('ann');
    server.platform.beforeRevoke = () => {
      setImmediate(() => server.clock.turn(5_000));
      return new Promise(() => undefined);
    };
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(200);
  });
});
