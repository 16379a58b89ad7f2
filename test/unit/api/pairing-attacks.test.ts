import { createHmac, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { dnsAddresses } from '../../../src/base/find-addresses.ts';
import { addressesIn, publicOr } from '../../../src/base/public-address.ts';
import { guardedFetch } from '../../../src/connectors/kit/guarded-fetch.ts';
import { changeRows } from '../../../src/store/database/rows.ts';
import { DnsServer } from '../../support/dns-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import { PairingServer, PLATFORM } from './pairing-server.ts';

const EXPIRED = 'This page has expired; start again at the server.';

let server: PairingServer;

beforeEach(async () => {
  server = await PairingServer.start();
});

async function expectPage(answer: Response, status: number, words: string): Promise<void> {
  expect([answer.status, await answer.text()]).toEqual([status, expect.stringContaining(words)]);
}

async function states(): Promise<number> {
  return (await server.store.db.selectFrom('connectionStates').selectAll().execute()).length;
}

describe('the page that asks', () => {
  it('asks strangers to sign in, and offers providers that lead back', async () => {
    const answer = await server.browser(null).get(server.askUrl());
    await expectPage(answer, 200, 'A server wants to work with your agents. Sign in to continue.');
    const cookie = answer.headers.get('set-cookie')!;
    expect(cookie).toMatch(/^svc_return=\/connect\/nctalk\?.*HttpOnly/);
    expect(answer.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
  });

  it('names the host and the account, and may lead only there', async () => {
    const answer = await server.browser('ann').get(server.askUrl());
    const page = await answer.text();
    const { host, origin } = new URL(server.nextcloud.url);
    expect(page).toContain(`<strong>${host}</strong>`);
    expect(page).toContain('ann@example.com');
    const policy = answer.headers.get('content-security-policy')!;
    expect(policy).toContain(`form-action 'self' ${origin};`);
    expect(answer.headers.get('x-frame-options')).toBe('DENY');
    expect([await states(), server.nextcloud.asked]).toEqual([0, []]);
  });

  it('lets another person sign in', async () => {
    const answer = await server.browser('ann').get(server.askUrl({ prompt: 'login' }));
    await expectPage(answer, 200, 'Sign in to continue');
    expect(answer.headers.get('set-cookie')).toBeNull();
  });

  it('waits for a verified address', async () => {
    const fields = await server.fields('ann');
    await changeRows(server.store.db, 'accounts', { id: 'acc_ann' }, { emailVerifiedAt: null });
    await expectPage(await server.browser('ann').get(server.askUrl()), 403, 'Confirm your email address');
    const answer = await server.submit('ann', { ...fields, decision: 'connect' });
    await expectPage(answer, 403, 'Confirm your email address');
    expect(await states()).toBe(0);
  });

  it.each([
    [{ nc_state: '' }, 'The server did not say what it wants'],
    [{ nc_state: '"><script>alert(1)</script>' }, 'The server did not say what it wants'],
    [{ nc_url: '' }, 'The server did not say what it wants'],
    [{ origin: 'https://evil.example' }, 'The server did not say what it wants'],
    [{ nc_url: '"><script>alert(1)</script>' }, 'This is not the URL of a Nextcloud'],
    [{ nc_url: 'http://169.254.169.254' }, 'not on the public internet'],
    [{ nc_url: 'https://user@cloud.example.com' }, 'without a name or password'],
    [{ nc_url: 'https://evil.example\\@cloud.example.com' }, 'This is not the URL of a Nextcloud'],
    [{ nc_url: 'https://cloud.example.com/a/../../x?' }, 'without what follows'],
  ])('says what is wrong with %j', async (query, words) => {
    const answer = await server.browser('ann').get(server.askUrl(query));
    const page = await answer.text();
    expect([answer.status, page.includes('<script>alert')]).toEqual([400, false]);
    expect(page).toContain(words);
  });

  it('does not read fields of 64 KB', async () => {
    const long = { nc_url: `https://cloud.example.com/${'x'.repeat(65_000)}` };
    expect((await server.browser('ann').get(server.askUrl(long))).status).toBeGreaterThanOrEqual(400);
    const unknown = { whatever: 'x'.repeat(2_000) };
    expect((await server.browser('ann').get(server.askUrl(unknown))).status).toBe(422);
  });

  it('is not answered by HEAD', async () => {
    const headers = { cookie: 'svc_session=ses_acc_ann' };
    expect((await fetch(server.askUrl(), { method: 'HEAD', headers })).status).toBe(405);
  });

  it('can be opened only so often', async () => {
    const statuses = new Set<number>();
    for (let i = 0; i < 101; i++) statuses.add((await fetch(server.askUrl())).status);
    expect([...statuses]).toEqual([200, 429]);
  });
});

describe('the answer', () => {
  it('is accepted only from the session and about the request that the page was made for', async () => {
    const fields = await server.fields('ann');
    const yes: Record<string, string> = { ...fields, decision: 'connect' };
    const other = await server.fields('ann', { nc_url: 'https://other.example.com' });
    await expectPage(await server.submit(null, yes), 400, EXPIRED);
    await expectPage(await server.submit('bob', yes), 400, EXPIRED);
    await expectPage(await server.submit('ann', { ...yes, request: other.request! }), 400, EXPIRED);
    await expectPage(await server.submit('ann', { ...yes, ticket: other.ticket! }), 400, EXPIRED);
    await expectPage(await server.submit('ann', { ...yes, ticket: '' }), 400, EXPIRED);
    await expectPage(await server.submit('ann', {}), 400, EXPIRED);
    expect(await states()).toBe(0);
    expect((await server.submit('ann', yes)).status).toBe(303);
  });

  it('expires with the page', async () => {
    const fields = await server.fields('ann');
    server.clock.turn(3_600_001);
    await expectPage(await server.submit('ann', { ...fields, decision: 'connect' }), 400, EXPIRED);
  });

  it('does not come from another site', async () => {
    const fields = { ...(await server.fields('ann')), decision: 'connect' };
    for (const site of ['cross-site', 'same-site'])
      expect((await server.submit('ann', fields, { 'sec-fetch-site': site })).status).toBe(403);
    expect(await states()).toBe(0);
  });

  it('may be no', async () => {
    for (const decision of ['decline', '', 'CONNECT']) {
      const answer = await server.submit('ann', { ...(await server.fields('ann')), decision });
      await expectPage(answer, 200, 'You have declined');
    }
    expect(await states()).toBe(0);
  });
});

describe('a callback', () => {
  const settled = async (changes: Readonly<Record<string, unknown>>) =>
    await server.callBack(server.nextcloud.approval(await server.stateOf('ann'), changes));

  const nothing = async () => {
    expect(await server.rows()).toEqual([]);
    expect(server.connected.size).toBe(0);
  };

  it.each([
    'null',
    '[]',
    '{"state":',
    '',
    JSON.stringify({ state: 1 }),
    JSON.stringify({ state: 'x'.repeat(8_000) }),
  ])('that cannot be read is refused: %.40s', async (body) => {
    expect((await server.callBack(body)).status).toBe(400);
    await nothing();
  });

  it.each(['bot_login', 'bot_password', 'api_secret', 'app_id', 'nc_username', 'nc_url', 'state'])(
    'without a good %s uses nothing up',
    async (name) => {
      const state = await server.stateOf('ann');
      for (const wrong of [undefined, null, 7, '', 'x'.repeat(8_000), { $gt: '' }]) {
        if (name === 'nc_url' && wrong === '') continue;
        const { status, body } = await server.callBack(server.nextcloud.approval(state, { [name]: wrong }));
        expect([status, body.detail]).toEqual([400, 'The credentials of the addon cannot be read']);
      }
      expect((await server.callBack(server.nextcloud.approval(state))).status).toBe(200);
    },
  );

  it.each(['https://evil.example', 'http://127.0.0.1:1', 'http://127.0.0.1', '', 'file:///etc/passwd'])(
    'of another server, %s, stores and asks nothing',
    async (url) => {
      const { status, body } = await settled({ nc_url: url });
      expect([status, body.detail]).toEqual([400, expect.stringContaining('another server')]);
      expect(server.nextcloud.asked).toEqual([]);
      await nothing();
    },
  );

  it.each([
    [{ bot_password: 'wrong' }, 'not logged in'],
    [{ api_secret: 'f'.repeat(64) }, 'Invalid HMAC'],
    [{ app_id: 'other_talk' }, 'HTTP status 404'],
    [{ app_id: 'chamade_talk_x' }, 'HTTP status 404'],
  ])('with %j is refused, and nothing is stored', async (changes, words) => {
    const { status, body } = await settled(changes);
    expect([status, body.detail]).toEqual([400, expect.stringContaining(words)]);
    expect(server.failures).toEqual([expect.stringContaining('a Nextcloud could not be paired')]);
    expect(JSON.stringify([body, server.failures])).not.toContain('Pa55');
    await nothing();
  });

  it('cannot take an app id as a path', async () => {
    for (const app_id of ['../../x', 'a/b', 'a%2fb', 'A', '.', 'x?y'])
      expect((await settled({ app_id })).status).toBe(400);
    expect(server.nextcloud.asked).toEqual([]);
  });

  it('whose server never answers ends after 8 s', async () => {
    const asked = Promise.withResolvers<void>();
    server.nextcloud.instead = () => {
      asked.resolve();
      return true;
    };
    const answer = settled({});
    await asked.promise;
    server.clock.turn(8_000);
    expect((await answer).status).toBe(400);
    await nothing();
  });

  it('whose server answers with rubbish, a redirect or without end is refused', async () => {
    const visited: string[] = [];
    const elsewhere = createServer((request, response) => {
      visited.push(request.url ?? '');
      response.end('{"ocs":{"meta":{},"data":{"id":"x"}}}');
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void elsewhere.close());
    await once(elsewhere, 'listening');
    const { port } = elsewhere.address() as AddressInfo;
    for (const [status, headers, body] of [
      [200, {}, '<html>'],
      [200, {}, '{"ocs":{"meta":{},"data":{"id":"somebody"}}}'],
      [200, {}, JSON.stringify({ ocs: { meta: {}, data: { id: 'x'.repeat(200_000) } } })],
      [302, { Location: `http://127.0.0.1:${port}/` }, ''],
      [307, { Location: `http://169.254.169.254/` }, ''],
      [500, {}, ''],
    ] as const) {
      server.nextcloud.instead = (path, response) => {
        if (!path.includes('cloud/user')) return false;
        response.writeHead(status, headers).end(body);
        return true;
      };
      expect((await settled({})).status).toBe(400);
    }
    expect(visited).toEqual([]);
    await nothing();
  });
});

describe('a name that resolves to somewhere else', () => {
  const withDns = async (zone: (nth: number) => readonly string[]) => {
    const dns = await DnsServer.start((_name, type, nth) => (type === 'A' ? zone(nth) : []));
    onTestFinished(() => dns.stop());
    const isTrusted = addressesIn(['127.0.0.1']);
    return await PairingServer.start({
      fetches: guardedFetch({
        findAddresses: dnsAddresses([dns.address]),
        isOpen: publicOr(['127.0.0.1']),
        isTrusted,
      }),
    });
  };

  /** Starts at a name in place of the Nextcloud's address. */
  const callBackAt = async (scheme: string) => {
    const { port } = new URL(server.nextcloud.url);
    const url = `${scheme}://cloud.example.com:${port}`;
    const { body } = await server.api('ann').post(`/api/oauth/start/${PLATFORM}`, { server_url: url });
    const state = new URL(body.authorize_url).searchParams.get('state')!;
    return await server.callBack(server.nextcloud.approval(state, { nc_url: url }));
  };

  it.each(['127.0.0.2', '10.0.0.1', '169.254.169.254', '168.63.129.16', '0.0.0.0'])(
    '%s is not asked',
    async (address) => {
      server = await withDns(() => [address]);
      for (const scheme of ['http', 'https']) {
        const { status, body } = await callBackAt(scheme);
        expect([status, body.detail]).toEqual([400, 'The server is not on the public internet']);
      }
      expect(server.nextcloud.asked).toEqual([]);
    },
  );

  it('is not asked without TLS unless the operator has opened its address', async () => {
    server = await withDns(() => ['203.0.114.1']);
    const { body } = await callBackAt('http');
    expect(body.detail).toBe('The server is not on the public internet');
  });

  it('is refused when only some of its addresses are open', async () => {
    server = await withDns(() => ['127.0.0.1', '10.0.0.1']);
    expect((await callBackAt('http')).body.detail).toBe('The server is not on the public internet');
  });

  it('works at an address that the operator has opened', async () => {
    server = await withDns(() => ['127.0.0.1']);
    expect((await callBackAt('http')).status).toBe(200);
  });
});

describe('the notice that an addon is switched off', () => {
  const signed = (random: string, secret = server.nextcloud.apiSecret) => ({
    'x-maquisard-random': random,
    'x-maquisard-signature': createHmac('sha256', secret).update(random).digest('hex'),
  });
  const fresh = () => randomBytes(16).toString('hex');
  const notice = async (headers: Readonly<Record<string, string>>, body: object = {}) => {
    const said = { nc_url: server.nextcloud.url, app_id: 'chamade_talk', ...body };
    const init = { method: 'POST', headers, body: JSON.stringify(said) };
    return (await fetch(`${server.url}/api/nctalk/addon-disabled`, init)).status;
  };
  const statuses = async () => (await server.rows()).map(({ status }) => status);

  it('marks all connections to its server', async () => {
    await server.pair('ann');
    await server.pair('bob');
    expect(await notice(signed(fresh()))).toBe(200);
    const { host } = new URL(server.nextcloud.url);
    const status = `The addon is switched off at ${host}; connect again`;
    await waitFor('both to be marked', async () => (await statuses()).every((each) => each === status));
    const events = await server.store.db.selectFrom('events').selectAll().execute();
    expect(events.filter(({ payload }) => payload.status === status)).toHaveLength(2);
    await server.pair('ann');
    expect((await statuses()).toSorted()).toEqual([status, 'ok'].toSorted());
  });

  it('is refused when it is forged, of another server or app, or unreadable', async () => {
    await server.pair('ann');
    expect(await notice({})).toBe(401);
    expect(await notice(signed(fresh(), 'f'.repeat(64)))).toBe(401);
    expect(await notice({ ...signed(fresh()), 'x-maquisard-random': fresh() })).toBe(401);
    expect(await notice(signed(''))).toBe(401);
    expect(await notice(signed('short'))).toBe(401);
    expect(await notice(signed(fresh()), { nc_url: 'https://other.example.com' })).toBe(401);
    expect(await notice(signed(fresh()), { app_id: 'other_talk' })).toBe(401);
    expect(await notice(signed(fresh()), { app_id: 7 })).toBe(400);
    expect(await statuses()).toEqual(['ok']);
  });

  it('has no effect when its signature was used before', async () => {
    await server.pair('ann');
    const headers = signed(fresh());
    const isMarked = async () => (await statuses())[0] !== 'ok';
    expect(await notice(headers)).toBe(200);
    await waitFor('the mark', isMarked);
    await server.pair('ann');
    expect(await notice(headers)).toBe(200);
    await server.pair('ann');
    expect(await notice(signed(fresh()))).toBe(200);
    await waitFor('the second mark', isMarked);
    const events = await server.store.db.selectFrom('events').selectAll().execute();
    const marks = events.filter(({ payload }) => `${payload.status}`.includes('switched off'));
    expect(marks).toHaveLength(2);
  });
});
