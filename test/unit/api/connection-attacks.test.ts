import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { endUnderWay } from '../../../src/accounts/people/owners.ts';
import { changeRows, deleteRows } from '../../../src/store/database/rows.ts';
import type { CookieBrowser } from '../../support/browser-cookies.ts';
import { answersJson } from '../../support/oauth-platform.ts';
import { NOW } from '../store/temporary.ts';
import { ANN_THERE, ConnectionsServer, OTHER_PLATFORM, PLATFORM } from './connections-server.ts';
import { eventually } from './served.ts';

const UNKNOWN = 'has expired, was used, or was started elsewhere';

let server: ConnectionsServer;
let browser: CookieBrowser;

beforeEach(async () => {
  server = await ConnectionsServer.start();
  browser = server.browser('ann');
});

/** Ann starts, signs in at the platform, and is about to return. */
const callbackOf = async (name: 'ann' | 'bob' = 'ann', by = browser): Promise<URL> =>
  await server.comeBack(by, await server.start(name));

async function expectRefusal(answer: Response, status: number, words: string): Promise<void> {
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
}

async function expectNothing(): Promise<void> {
  expect(await server.rows()).toEqual([]);
  expect(server.platform.connections.size).toBe(0);
}

describe('a state', () => {
  it('works once', async () => {
    const callback = await callbackOf();
    expect((await browser.get(callback)).status).toBe(200);
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    expect(server.platform.tokenRequests).toBe(1);
  });

  it('works once even for two callbacks at once', async () => {
    const callback = await callbackOf();
    const answers = await Promise.all([browser.get(callback), browser.get(callback)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect(await server.rows()).toHaveLength(1);
  });

  it('must be there, and be one that the gateway issued', async () => {
    const callback = await callbackOf();
    const altered = new URL(callback);
    altered.searchParams.set('state', `${callback.searchParams.get('state')}x`);
    await expectRefusal(await browser.get(altered), 400, UNKNOWN);
    altered.searchParams.delete('state');
    await expectRefusal(await browser.get(altered), 400, UNKNOWN);
    altered.search = '';
    await expectRefusal(await browser.get(altered), 400, UNKNOWN);
    expect(server.platform.tokenRequests).toBe(0);
    expect((await browser.get(callback)).status).toBe(200);
  });

  it('belongs to the session that started, and is void once another has shown it', async () => {
    for (const other of [server.browser('bob'), server.browser(null)]) {
      const callback = await callbackOf();
      await expectRefusal(await other.get(callback), 400, UNKNOWN);
      await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    }
    expect(server.platform.tokenRequests).toBe(0);
    await expectNothing();
  });

  it('is not confirmed in place of the session that started', async () => {
    const callback = await callbackOf();
    await expectRefusal(await fetch(callback, { method: 'POST' }), 400, UNKNOWN);
    await expectNothing();
  });

  it('belongs to one platform', async () => {
    const callback = await callbackOf();
    const other = new URL(callback);
    other.pathname = other.pathname.replace(PLATFORM, OTHER_PLATFORM);
    await expectRefusal(await browser.get(other), 400, UNKNOWN);
    expect(server.platform.tokenRequests).toBe(0);
    await expectNothing();
  });

  it('expires after ten minutes', async () => {
    const callback = await callbackOf();
    server.clock.turn(600_001);
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
  });

  it('is one of at most 20 of an account, and the newest of them', async () => {
    const first = await callbackOf();
    for (let i = 0; i < 20; i++) {
      server.clock.turn(1);
      await server.start('ann');
    }
    const states = await server.store.db.selectFrom('connectionStates').selectAll().execute();
    expect(states).toHaveLength(20);
    await expectRefusal(await browser.get(first), 400, UNKNOWN);
  });

  it('is not used up by HEAD', async () => {
    const callback = await callbackOf();
    const headers = { cookie: 'svc_session=ses_acc_ann' };
    expect((await fetch(callback, { method: 'HEAD', headers })).status).toBe(405);
    expect((await browser.get(callback)).status).toBe(200);
  });

  it('can be tried only so often', async () => {
    const callback = `${server.url}/api/oauth/${PLATFORM}/callback?state=guess&code=x`;
    const statuses = new Set<number>();
    for (let i = 0; i < 101; i++) statuses.add((await fetch(callback)).status);
    expect([...statuses]).toEqual([400, 429]);
  });
});

describe('meanwhile', () => {
  it('the session ends', async () => {
    const callback = await callbackOf();
    await deleteRows(server.store.db, 'sessions', { id: 'ses_acc_ann' });
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    await expectNothing();
  });

  it('the session ends while the platform is asked', async () => {
    const callback = await callbackOf();
    server.platform.beforeIdentify = () => deleteRows(server.store.db, 'sessions', { id: 'ses_acc_ann' });
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    await expectNothing();
  });

  it('the password is changed or set anew, even from the same session', async () => {
    const callback = await callbackOf();
    const kept = { sessionId: 'ses_acc_ann', linkHash: '' };
    await endUnderWay(server.store.db, 'acc_ann', NOW, kept);
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    await expectNothing();
  });

  it('the address changes, or its proof is withdrawn', async () => {
    const callback = await callbackOf();
    await changeRows(server.store.db, 'accounts', { id: 'acc_ann' }, { email: 'other@example.com' });
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    const second = await callbackOf();
    await changeRows(server.store.db, 'accounts', { id: 'acc_ann' }, { emailVerifiedAt: null });
    await expectRefusal(await browser.get(second), 403, 'Email address is not verified');
    const start = await server.start('ann');
    await expectRefusal(start, 403, 'Email address is not verified');
    await expectNothing();
  });

  it('the connection to renew is deleted', async () => {
    const id = await server.connect('ann');
    const callback = await server.comeBack(browser, await server.start('ann', { connection_id: id }));
    expect((await server.api('ann').delete(`/api/connections/${id}`)).status).toBe(200);
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    expect(await server.rows()).toEqual([]);
  });

  it('the connection to renew is deleted while the platform is asked', async () => {
    const id = await server.connect('ann');
    const callback = await server.comeBack(browser, await server.start('ann', { connection_id: id }));
    server.platform.beforeIdentify = () => server.api('ann').delete(`/api/connections/${id}`);
    await expectRefusal(await browser.get(callback), 400, UNKNOWN);
    expect(await server.rows()).toEqual([]);
  });
});

describe('another account of the gateway', () => {
  it('does not get the connection of an account that is connected already', async () => {
    await server.connect('ann');
    const former = await server.rows();
    const bob = server.browser('bob');
    await expectRefusal(await bob.get(await callbackOf('bob', bob)), 409, 'connected to another account');
    expect(await server.rows()).toEqual(former);
    expect(await server.events('bob')).toEqual([]);
    expect(server.platform.revoked).toEqual([]);
    const [{ id } = { id: '' }] = former;
    expect((await server.platform.userinfo(await server.platform.tokens!.accessToken(id))).status).toBe(200);
  });

  it('gets it only once, however many callbacks come at once', async () => {
    const bob = server.browser('bob');
    const [mine, theirs] = [await callbackOf(), await callbackOf('bob', bob)];
    const answers = await Promise.all([browser.get(mine), bob.get(theirs)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
    expect(await server.rows()).toHaveLength(1);
  });

  it('cannot put its own code into a callback', async () => {
    server.platform.peer.person = { subject: 'mallory-there' };
    const code = (await callbackOf('bob', server.browser('bob'))).searchParams.get('code')!;
    server.platform.peer.person = ANN_THERE;
    const callback = await callbackOf();
    callback.searchParams.set('code', code);
    await expectRefusal(await browser.get(callback), 400, 'invalid_grant');
    expect(server.failures.join()).not.toContain(code);
    await expectNothing();
  });

  it('cannot start a connection from its own page in another person’s browser', async () => {
    const answer = await fetch(`${server.url}/api/oauth/start/${PLATFORM}`, {
      method: 'POST',
      headers: { cookie: 'svc_session=ses_acc_ann', 'sec-fetch-site': 'cross-site' },
    });
    await expectRefusal(answer, 403, 'other sites');
  });
});

describe('a platform that refuses', () => {
  it('is quoted, once the state has been checked', async () => {
    server.platform.peer.refuses = true;
    const callback = await callbackOf();
    const forged = new URL(callback);
    forged.searchParams.set('state', 'x');
    await expectRefusal(await browser.get(forged), 400, UNKNOWN);
    await expectRefusal(await browser.get(callback), 400, 'access_denied: said no');
    expect(server.platform.tokenRequests).toBe(0);
  });

  it('cannot put HTML into the page', async () => {
    const callback = await callbackOf();
    callback.searchParams.set('error', '<script>alert(1)</script>');
    callback.searchParams.set('error_description', `"><img src=x>${'y'.repeat(4_000)}`);
    const answer = await browser.get(callback);
    const text = await answer.text();
    expect([answer.status, text.includes('<script>alert'), text.includes('<img')]).toEqual([
      400,
      false,
      false,
    ]);
    expect(text.length).toBeLessThan(6_000);
  });

  it('sends no code', async () => {
    const callback = await callbackOf();
    callback.searchParams.delete('code');
    await expectRefusal(await browser.get(callback), 400, 'it sent no code');
  });

  it('cannot have secrets shown or logged by quoting them', async () => {
    const callback = await callbackOf();
    const code = callback.searchParams.get('code')!;
    const { clientSecret } = server.platform.client!;
    const description = `bad code ${code} for ${clientSecret}`;
    server.platform.will(answersJson(400, { error: 'invalid_grant', error_description: description }));
    await expectRefusal(await browser.get(callback), 400, 'invalid_grant: bad code … for …');
    expect(server.failures).toEqual(['a code could not be exchanged: invalid_grant: bad code … for …']);
  });

  it('identifies nobody, or somebody without an id', async () => {
    for (const providerUserId of ['', 'x'.repeat(257)]) {
      server.platform.identity = () => ({ providerUserId, label: 'x', email: null, person: null });
      await expectRefusal(await browser.get(await callbackOf()), 502, 'did not answer as expected');
    }
    server.platform.identity = ({ accessToken }) => {
      throw new Error(`no such token: ${accessToken}`);
    };
    await expectRefusal(await browser.get(await callbackOf()), 502, 'did not answer as expected');
    expect(server.failures.at(-1)).toBe('an account could not be identified: no such token: …');
    await expectNothing();
  });
});

describe('a platform that fails', () => {
  it('answers the exchange with 64 MB, which are not read', async () => {
    let sent = 0;
    server.platform.will((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      const piece = Buffer.alloc(65_536, ' ');
      const more = () => {
        while (sent < 1_024 && !response.destroyed) {
          sent += 1;
          if (!response.write(piece)) return;
        }
        response.end();
      };
      response.on('drain', more);
      more();
    });
    await expectRefusal(await browser.get(await callbackOf()), 502, 'could not be asked');
    expect(sent).toBeLessThan(200);
    await expectNothing();
  });

  it('never answers the exchange, or stops in the middle', async () => {
    for (const begun of ['', '{"access_token":"a']) {
      const asked = Promise.withResolvers<void>();
      server.platform.will((response) => {
        if (begun !== '') response.writeHead(200, { 'Content-Type': 'application/json' }).write(begun);
        asked.resolve();
      });
      const answer = browser.get(await callbackOf());
      await asked.promise;
      server.clock.turn(10_000);
      await expectRefusal(await answer, 502, 'did not answer in time');
    }
    await expectNothing();
  });

  it('never identifies the account', async () => {
    const asked = Promise.withResolvers<void>();
    server.platform.beforeIdentify = () => {
      asked.resolve();
      return new Promise(() => undefined);
    };
    const answer = browser.get(await callbackOf());
    await asked.promise;
    server.clock.turn(10_000);
    await expectRefusal(await answer, 502, 'did not answer in time');
    await expectNothing();
  });

  it('redirects the exchange, which is not followed', async () => {
    let visits = 0;
    const elsewhere = createServer((_request, response) => {
      visits += 1;
      response.end('{"access_token":"theirs"}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void elsewhere.close());
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    for (const status of [302, 307, 308]) {
      const headers = { Location: `http://127.0.0.1:${port}/token` };
      server.platform.will((response) => response.writeHead(status, headers).end());
      await expectRefusal(await browser.get(await callbackOf()), 502, `HTTP status ${status}`);
    }
    expect(visits).toBe(0);
    await expectNothing();
  });

  it.each([
    ['no JSON', (text: string) => text, '<html>'],
    ['JSON of another kind', JSON.stringify, [1]],
    ['no token', JSON.stringify, { token_type: 'bearer' }],
    ['a token that is no text', JSON.stringify, { access_token: { a: 1 } }],
    ['a token with a line break', JSON.stringify, { access_token: 'a\r\nX-Injected: 1' }],
    ['an empty token', JSON.stringify, { access_token: '' }],
    ['JSON nested 30,000 deep', () => '['.repeat(30_000), null],
  ])('answers the exchange with %s', async (_what, write, value) => {
    server.platform.will((response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end((write as (value: unknown) => string)(value));
    });
    await expectRefusal(await browser.get(await callbackOf()), 502, 'cannot be used (HTTP status 200)');
    await expectNothing();
  });

  it.each([
    [0, expect.any(String)],
    ['3600', expect.any(String)],
    [1e300, expect.stringMatching(/^20[3-4]/)],
    [-5, null],
    ['soon', null],
    [null, null],
  ])('says that tokens expire in %j seconds', async (expires_in, expiresAt) => {
    server.platform.identity = () => ({ providerUserId: 'u', label: 'U', email: null, person: null });
    server.platform.will(answersJson(200, { access_token: 'a', token_type: 'bearer', expires_in }));
    expect((await browser.get(await callbackOf())).status).toBe(200);
    expect(await server.rows()).toMatchObject([{ expiresAt, scopes: null }]);
    await eventually(() => server.platform.connections.size === 1);
  });
});
