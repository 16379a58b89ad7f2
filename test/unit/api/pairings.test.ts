import { beforeEach, describe, expect, it } from 'vitest';
import { endUnderWay } from '../../../src/accounts/people/owners.ts';
import { changeRows, deleteRows, insertRow } from '../../../src/store/database/rows.ts';
import { openCredentials } from '../../../src/store/logins/login-connections.ts';
import { waitFor } from '../../support/wait-for.ts';
import { NOW } from '../store/temporary.ts';
import { NC_STATE, PairingServer, PLATFORM } from './pairing-server.ts';

const UNKNOWN = { status: 403, body: { detail: expect.stringContaining('start again') } };

let server: PairingServer;

beforeEach(async () => {
  server = await PairingServer.start();
});

async function expectNothing(): Promise<void> {
  expect(await server.rows()).toEqual([]);
  expect(server.connected.size).toBe(0);
  expect(server.nextcloud.asked).toEqual([]);
}

describe('a server that asks first', () => {
  it('gets credentials stored, sealed, for whoever agreed', async () => {
    const location = await server.agree('ann');
    expect(location.origin + location.pathname).toBe(
      `${server.nextcloud.url}/apps/chamade_talk/authorize/finish`,
    );
    expect(Object.fromEntries(location.searchParams)).toEqual({
      state: expect.stringMatching(/^[\w-]{43}$/),
      nc_state: NC_STATE,
      callback_url: `${server.url}/api/nctalk/callback`,
      backend_url: server.url,
      origin: 'nc_admin',
    });
    const approval = server.nextcloud.approval(location.searchParams.get('state')!);
    const { status, body } = await server.callBack(approval);
    expect({ status, body }).toEqual({
      status: 200,
      body: { status: 'ok', connection_id: expect.any(String) },
    });

    const [row] = await server.rows();
    expect(row).toMatchObject({
      id: body.connection_id,
      accountId: 'acc_ann',
      provider: PLATFORM,
      providerUserId: `acc_ann@${server.nextcloud.url}`,
      label: `olga@${new URL(server.nextcloud.url).host}`,
      remoteId: 'olga',
      loginKey: null,
      status: 'ok',
    });
    const credentials = {
      kind: 'addon',
      appId: 'chamade_talk',
      apiSecret: server.nextcloud.apiSecret,
      botLogin: approval.bot_login,
      botPassword: 'Pa55word!',
      owner: 'olga',
      canSend: true,
    };
    expect(row!.sealedCredentials).not.toContain('Pa55');
    expect(openCredentials(server.store.secrets, row!)).toEqual(credentials);
    expect(server.connected.get(row!.id)).toMatchObject({ server: server.nextcloud.url, credentials });

    const { body: shown } = await server.api('ann').get('/api/platforms');
    const { [PLATFORM]: talk } = Object.fromEntries(
      (shown.platforms as { platform: string }[]).map((each) => [each.platform, each]),
    );
    expect(talk).toMatchObject({ status: 'ok', accounts: [{ type: 'connection', id: row!.id }] });
    const audit = await server.store.db.selectFrom('auditLog').selectAll().execute();
    expect(audit.map(({ action, credentialKind }) => [action, credentialKind])).toContainEqual([
      'connection.create',
      'session',
    ]);
    const members = await server.store.db.selectFrom('agentAccounts').selectAll().execute();
    expect(members.map(({ memberId }) => memberId)).toEqual([row!.id]);
  });

  it('is renewed by pairing again, and its former bot is removed', async () => {
    const id = await server.pair('ann');
    const [former] = [...server.nextcloud.bots.keys()];
    expect(await server.pair('ann')).toBe(id);
    expect(await server.rows()).toHaveLength(1);
    await waitFor('the former bot to go', () => !server.nextcloud.bots.has(former!));
    expect(server.nextcloud.bots.size).toBe(1);
    await waitFor('the rooms to be written again', () => server.forgotten.includes(id));
  });

  it('is connected to each account apart', async () => {
    const [mine, theirs] = [await server.pair('ann'), await server.pair('bob')];
    expect(mine).not.toBe(theirs);
    expect(server.nextcloud.bots.size).toBe(2);
  });

  it('loses its bot with the connection', async () => {
    const id = await server.pair('ann');
    expect((await server.api('bob').delete(`/api/connections/${id}`)).status).toBe(404);
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(200);
    await waitFor('the bot to go', () => server.nextcloud.bots.size === 0);
    expect([server.disconnected, server.ended.map(([account, login]) => [account, login])]).toEqual([
      [id],
      [['acc_ann', id]],
    ]);
  });

  it('may be gone when the connection is deleted', async () => {
    const id = await server.pair('ann');
    server.nextcloud.instead = (_path, response) => Boolean(response.destroy());
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(200);
    const told = /^a bot could not be removed: .*Nextcloud/;
    await waitFor('the failure to be told', () => server.failures.some((failure) => told.test(failure)));
  });

  it('is handed over again at start, in pages', async () => {
    const id = await server.pair('ann');
    const [row] = await server.rows();
    for (let i = 0; i < 250; i++) {
      const other = { id: `con_${i}`, providerUserId: `acc_ann@https://${i}.example.com` };
      await insertRow(server.store.db, 'connections', { ...row!, ...other });
    }
    server.connected.clear();
    await server.handOver();
    // The credentials of the copies are sealed for another row.
    expect([...server.connected.keys()]).toEqual([id]);
    const statuses = (await server.rows()).map(({ status }) => status);
    expect(statuses.filter((status) => status === 'The credentials cannot be decrypted')).toHaveLength(250);
  });
});

describe('a person who starts here', () => {
  const start = (name: 'ann' | 'bob', body: unknown, platform = PLATFORM) =>
    server.api(name).post(`/api/oauth/start/${platform}`, body);

  it('is sent to the page on which their server asks them', async () => {
    const { status, body } = await start('ann', { server_url: `${server.nextcloud.url}/apps/spreed/` });
    expect(status).toBe(200);
    const url = new URL(body.authorize_url);
    expect(url.origin + url.pathname).toBe(`${server.nextcloud.url}/apps/chamade_talk/authorize`);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      state: expect.any(String),
      agent_name: 'The agents of ann@example.com',
      callback_url: `${server.url}/api/nctalk/callback`,
      backend_url: server.url,
    });
    const approval = server.nextcloud.approval(url.searchParams.get('state')!);
    expect((await server.callBack(approval)).status).toBe(200);
    const [row] = await server.rows();
    expect(row).toMatchObject({ accountId: 'acc_ann', remoteId: 'olga' });
  });

  it('names a branded addon by the URL of its page', async () => {
    const { body } = await start('ann', { server_url: `${server.nextcloud.url}/apps/acme_talk/settings` });
    expect(new URL(body.authorize_url).pathname).toBe('/apps/acme_talk/authorize');
  });

  it('renews one connection, at its own server', async () => {
    const id = await server.pair('ann');
    const { body } = await start('ann', { server_url: server.nextcloud.url, connection_id: id });
    const state = new URL(body.authorize_url).searchParams.get('state')!;
    expect((await server.callBack(server.nextcloud.approval(state))).body.connection_id).toBe(id);
    const elsewhere = await start('ann', { server_url: 'https://cloud.example.com', connection_id: id });
    expect([elsewhere.status, elsewhere.body.code]).toEqual([409, 'connection_differs']);
    const theirs = await start('bob', { server_url: server.nextcloud.url, connection_id: id });
    expect([theirs.status, theirs.body.code]).toEqual([404, 'connection_not_found']);
  });

  it('does not renew a connection that is deleted meanwhile', async () => {
    const id = await server.pair('ann');
    const { body } = await start('ann', { server_url: server.nextcloud.url, connection_id: id });
    const state = new URL(body.authorize_url).searchParams.get('state')!;
    await server.api('ann').delete(`/api/connections/${id}`);
    expect(await server.callBack(server.nextcloud.approval(state))).toMatchObject(UNKNOWN);
    expect(await server.rows()).toEqual([]);
  });

  it('has to say which server, and only of a platform that has some', async () => {
    const missing = await start('ann', {});
    expect([missing.status, missing.body.detail]).toEqual([
      422,
      [{ loc: ['body', 'server_url'], msg: 'Field required', type: 'missing' }],
    ]);
    const needless = await start(
      'ann',
      { server_url: 'https://cloud.example.com' },
      'zoom' as typeof PLATFORM,
    );
    expect([needless.status, needless.body.detail[0].loc]).toEqual([422, ['body', 'server_url']]);
  });

  it.each([
    ['ftp://cloud.example.com', 'begins with https'],
    ['https://ann:secret@cloud.example.com', 'without a name or password'],
    ['https://cloud.example.com/?x=1', 'without what follows'],
    ['https://cloud.example.com/#x', 'without what follows'],
    ['https://cloud.example.com/<script>', 'not the URL'],
    ['https://cloud example.com', 'not the URL'],
    ['https://', 'not the URL'],
    ['https://cloud.example.com;sandbox', 'not the URL'],
    ["https://'none'", 'not the URL'],
    ['https://*', 'not the URL'],
    ['https://cloud..example.com', 'not the URL'],
    ['javascript:alert(1)', 'not the URL'],
    ['https://127.0.0.2', 'not on the public internet'],
    ['https://169.254.169.254', 'not on the public internet'],
    ['https://0x7f000002', 'not on the public internet'],
    ['https://[::1]', 'not on the public internet'],
    ['https://[::ffff:10.0.0.1]/', 'not on the public internet'],
  ])('is told what is wrong with %s', async (serverUrl, words) => {
    const { status, body } = await start('ann', { server_url: serverUrl });
    expect([status, body.detail]).toEqual([400, expect.stringContaining(words)]);
  });
});

describe('a state', () => {
  it('works once, even for two callbacks at once', async () => {
    const state = await server.stateOf('ann');
    const answers = await Promise.all([1, 2].map(() => server.callBack(server.nextcloud.approval(state))));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403]);
    expect(await server.callBack(server.nextcloud.approval(state))).toMatchObject(UNKNOWN);
    expect(await server.rows()).toHaveLength(1);
  });

  it('is used up by a callback that fails', async () => {
    const state = await server.stateOf('ann');
    const wrong = server.nextcloud.approval(state, { bot_password: 'wrong' });
    expect((await server.callBack(wrong)).status).toBe(400);
    expect(await server.callBack(server.nextcloud.approval(state))).toMatchObject(UNKNOWN);
  });

  it('has to be one that the gateway issued', async () => {
    for (const state of ['x', `${await server.stateOf('ann')}x`, NC_STATE])
      expect(await server.callBack(server.nextcloud.approval(state))).toMatchObject(UNKNOWN);
    await expectNothing();
  });

  it('expires after ten minutes', async () => {
    const state = await server.stateOf('ann');
    server.clock.turn(600_001);
    expect(await server.callBack(server.nextcloud.approval(state))).toMatchObject(UNKNOWN);
    await expectNothing();
  });

  it.each<[string, () => Promise<unknown>]>([
    ['the session ends', () => deleteRows(server.store.db, 'sessions', { id: 'ses_acc_ann' })],
    [
      'the password is set anew',
      () => endUnderWay(server.store.db, 'acc_ann', NOW, { sessionId: null, linkHash: '' }),
    ],
    [
      'the address changes',
      () => changeRows(server.store.db, 'accounts', { id: 'acc_ann' }, { email: 'other@example.com' }),
    ],
    [
      'the address is no longer verified',
      () => changeRows(server.store.db, 'accounts', { id: 'acc_ann' }, { emailVerifiedAt: null }),
    ],
  ])('is void when %s, before or while the server is asked', async (_what, change) => {
    const first = await server.stateOf('ann');
    const second = await server.stateOf('ann');
    server.nextcloud.instead = async (path) => {
      if (path.includes('cloud/user')) await change();
      return false;
    };
    const meanwhile = await server.callBack(server.nextcloud.approval(first));
    expect(meanwhile.status).toBe(400);
    server.nextcloud.asked.length = 0;
    expect(await server.callBack(server.nextcloud.approval(second))).toMatchObject(UNKNOWN);
    await expectNothing();
  });

  it('is void when the settings key that started is deleted', async () => {
    const body = { server_url: server.nextcloud.url };
    const started = await server.api('ann').post(`/api/oauth/start/${PLATFORM}`, body);
    const state = new URL(started.body.authorize_url).searchParams.get('state')!;
    await changeRows(server.store.db, 'apiKeys', { accountId: 'acc_ann' }, { revokedAt: NOW });
    expect(await server.callBack(server.nextcloud.approval(state))).toMatchObject(UNKNOWN);
    await expectNothing();
  });

  it('is not taken by the callback of OAuth, and is void then', async () => {
    const state = await server.stateOf('ann');
    const answer = await fetch(`${server.url}/api/oauth/${PLATFORM}/callback?state=${state}&code=x`);
    expect(answer.status).toBe(404);
    expect((await server.callBack(server.nextcloud.approval(state))).status).toBe(200);
  });

  it('is one of at most 20 of an account', async () => {
    const first = await server.stateOf('ann');
    for (let i = 0; i < 20; i++) {
      server.clock.turn(1);
      await server.stateOf('ann');
    }
    expect(await server.callBack(server.nextcloud.approval(first))).toMatchObject(UNKNOWN);
  });
});

describe('an account', () => {
  it('may have only so many connections', async () => {
    const { db } = server.store;
    const row = {
      accountId: 'acc_ann',
      provider: PLATFORM,
      email: null,
      label: 'x',
      status: 'ok',
      createdAt: NOW,
    };
    const rows = Array.from({ length: 10_000 }, (_, i) => ({
      ...row,
      id: `con_${i}`,
      loginKey: null,
      remoteId: null,
      providerUserId: `acc_ann@https://${i}.example.com`,
      sealedCredentials: '',
      updatedAt: NOW,
    }));
    for (let at = 0; at < rows.length; at += 500)
      await db
        .insertInto('connections')
        .values(rows.slice(at, at + 500))
        .execute();
    const { status, body } = await server.callBack(server.nextcloud.approval(await server.stateOf('ann')));
    expect([status, body.detail]).toEqual([400, expect.stringContaining('at most 10000 connections')]);
  });
});

describe('a bot that an administrator installs', () => {
  const add = (name: 'ann' | 'bob', body: unknown) =>
    server.api(name).post(`/api/${PLATFORM}/talk-bots`, body);

  it('is described by a line for the administrator, and handed over', async () => {
    const { status, body } = await add('ann', {
      server_url: 'cloud.example.com/nextcloud/',
      name: "Ann's 'bot'",
    });
    expect(status).toBe(201);
    const { connection_id: id, secret, webhook_url: webhookUrl, install } = body;
    expect(secret).toMatch(/^[0-9a-f]{64}$/);
    expect(webhookUrl).toBe(`${server.url}/api/nctalk/bots/${id}`);
    expect(install).toBe(
      `occ talk:bot:install --feature webhook --feature response --feature reaction -- 'Ann'\\''s '\\''bot'\\''' '${secret}' '${webhookUrl}'`,
    );
    expect(server.connected.get(id)).toMatchObject({
      server: 'https://cloud.example.com/nextcloud',
      label: "Ann's 'bot' (cloud.example.com)",
      credentials: { kind: 'talk_bot', secret },
    });
    expect((await server.rows())[0]!.sealedCredentials).not.toContain(secret);
    expect((await add('ann', { server_url: 'https://cloud.example.com/nextcloud' })).body.connection_id).toBe(
      id,
    );
  });

  it('needs a verified address, a settings key or session, and a name of one line', async () => {
    expect((await add('ann', { server_url: 'https://a.example', name: 'x\ny' })).status).toBe(422);
    expect((await add('ann', { server_url: 'https://a.example', name: 'x'.repeat(65) })).status).toBe(422);
    expect((await add('ann', { server_url: 'http://192.0.2.1' })).status).toBe(400);
    await changeRows(server.store.db, 'accounts', { id: 'acc_ann' }, { emailVerifiedAt: null });
    expect((await add('ann', { server_url: 'https://a.example' })).status).toBe(403);
    expect(await server.rows()).toEqual([]);
  });
});
