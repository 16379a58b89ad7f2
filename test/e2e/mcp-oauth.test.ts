import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { answer, fieldIn, OAuthClient, REDIRECT, register, type Tokens } from '../support/oauth-client.ts';
import { Person } from '../support/person.ts';
import { plaintextsIn, storedText } from '../support/plaintext.ts';

let gateway: Gateway;
let person: Person;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000' } });
  person = await memberOf(gateway, 'ada@example.com');
});
afterAll(() => gateway?.stop());

/** What a request with this access token is answered. */
async function heard(access: string, path = '/api/calls'): Promise<number> {
  return (await bearing(access, path)).status;
}

async function bearing(access: string, path: string): Promise<Response> {
  return await fetch(`${gateway.baseUrl}${path}`, { headers: { Authorization: `Bearer ${access}` } });
}

const fault = ({ status, body }: { status: number; body: { error?: string } }) => [status, body.error];

describe('the dance', () => {
  it('ends with an access token that opens what acts at runtime, and nothing that configures', async () => {
    const client = await OAuthClient.register(gateway);
    const page = await client.ask(person);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('Connect Test client?')]);
    const back = (await answer(person, page.html)).sentTo!;
    expect(`${back.origin}${back.pathname}`).toBe(REDIRECT);
    expect(back.searchParams.get('state')).toBe('st4te');
    expect(back.searchParams.get('iss')).toBe(gateway.baseUrl);
    const answered = await client.redeem(back.searchParams.get('code')!);
    expect(answered.body).toMatchObject({
      token_type: 'Bearer',
      scope: 'discord teams meet zoom telegram whatsapp slack nctalk sip',
    });
    const { access } = client.tokensIn(answered);
    expect(await heard(access)).toBe(200);
    expect(await heard(access, '/api/account')).toBe(200);
    expect(await heard(access, '/api/agents')).toBe(403);
    expect(await heard(access, '/api/export')).toBe(403);
    expect(await heard(access, '/auth/identities')).toBe(403);
  });

  it('asks once: the same client is let in again without a page', async () => {
    const client = await OAuthClient.register(gateway);
    await client.connect(person, {}, { platforms: ['telegram', 'sip'] });
    const again = await client.ask(person);
    expect([again.status, again.sentTo?.searchParams.has('code')]).toEqual([302, true]);
    expect((await client.ask(person, { scope: 'sip' })).status, 'for less').toBe(302);
    expect((await client.ask(person, { scope: 'sip slack' })).status, 'for more').toBe(200);
    expect((await client.ask(person, { prompt: 'consent' })).status, 'when it wants to').toBe(200);
    const port = REDIRECT.replace('33418', '40001');
    expect((await client.ask(person, { redirect_uri: port })).status, 'at another port').toBe(200);
    const elsewhere = new Person(gateway.baseUrl, person.email, person.password);
    await elsewhere.signIn();
    expect((await client.ask(elsewhere)).status, 'in another session').toBe(200);
    expect((await client.ask(person)).status, 'in the first one still').toBe(302);
    const other = await memberOf(gateway, 'bob@example.com');
    expect((await client.ask(other)).status, 'somebody else').toBe(200);
  });

  it('leads to an application on the computer by a scheme of its own, which is asked for each time', async () => {
    const redirect_uri = 'cursor://anysphere.cursor-retrieval/oauth/user-voice/callback';
    const client = await OAuthClient.register(gateway, { redirect_uris: [redirect_uri] });
    for (let i = 0; i < 2; i++) {
      const { headers, body } = await person.visit(client.authorizeUrl({ redirect_uri }));
      expect(headers.get('content-security-policy')).toContain("form-action 'self' cursor:;");
      expect(body).toContain('a program on this computer (whichever opens cursor:)');
      const back = (await answer(person, `${body}`)).sentTo!;
      expect(`${back}`).toMatch(
        /^cursor:\/\/anysphere\.cursor-retrieval\/oauth\/user-voice\/callback\?code=mcc_/,
      );
      client.tokensIn(await client.redeem(back.searchParams.get('code')!, { redirect_uri }));
    }
    const unasked = await client.ask(person, { redirect_uri, response_type: 'token' });
    expect([unasked.status, unasked.sentTo], 'nobody has answered').toEqual([400, null]);
    const no = await client.askAndAnswer(person, { redirect_uri }, { decision: 'deny' });
    expect(no.get('error')).toBe('access_denied');
    const other = await client.ask(person, { redirect_uri: `${redirect_uri}/` });
    expect([other.status, other.sentTo]).toEqual([400, null]);
  });

  it('takes no for an answer', async () => {
    const client = await OAuthClient.register(gateway);
    const query = await client.askAndAnswer(person, {}, { decision: 'deny' });
    expect([query.get('error'), query.get('state'), query.get('iss'), query.get('code')]).toEqual([
      'access_denied',
      'st4te',
      gateway.baseUrl,
      null,
    ]);
    expect((await client.ask(person)).status).toBe(200);
  });

  it('wants something ticked', async () => {
    const client = await OAuthClient.register(gateway);
    const { html } = await client.ask(person);
    const after = await answer(person, html, { platforms: [] });
    expect([after.status, after.html]).toEqual([400, expect.stringContaining('Tick at least one platform')]);
  });

  it('has whoever is signed out sign in first, on a page that leads nowhere else', async () => {
    const client = await OAuthClient.register(gateway);
    const stranger = await memberOf(gateway, 'eve@example.com');
    stranger.cookie = null;
    const page = await client.ask(stranger);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('<h1>Sign in</h1>')]);
    await stranger.signIn();
    expect((await client.ask(stranger)).html).toContain('Connect Test client?');
    expect((await client.ask(stranger, { prompt: 'login' })).html).toContain('<h1>Sign in</h1>');
  });

  it('offers what the client asks for, and grants no more', async () => {
    const client = await OAuthClient.register(gateway);
    const { html } = await client.ask(person, { scope: 'telegram sip' });
    expect(html).toContain('value="telegram" checked');
    expect(html).not.toContain('value="slack"');
    const { sentTo } = await answer(person, html, { platforms: ['telegram', 'slack'] });
    const answered = await client.redeem(sentTo!.searchParams.get('code')!);
    expect(answered.body.scope).toBe('telegram');
  });

  it('works with a client that keeps a secret, by header and by form, and not without it', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post'] as const) {
      const client = await OAuthClient.register(gateway, { token_endpoint_auth_method: method });
      const secret = client.secret!;
      const basic = { Authorization: `Basic ${Buffer.from(`${client.id}:${secret}`).toString('base64')}` };
      const code = (await client.askAndAnswer(person)).get('code')!;
      expect(fault(await client.redeem(code))).toEqual([400, 'invalid_client']);
      expect(fault(await client.redeem(code, { client_secret: 'wrong' }))).toEqual([400, 'invalid_client']);
      const { access, refresh } = client.tokensIn(
        method === 'client_secret_post'
          ? await client.redeem(code, { client_secret: secret })
          : await client.token(
              {
                grant_type: 'authorization_code',
                code,
                redirect_uri: REDIRECT,
                code_verifier: client.verifier,
              },
              basic,
            ),
      );
      expect(await heard(access)).toBe(200);
      expect(fault(await client.refresh(refresh))).toEqual([400, 'invalid_client']);
      client.tokensIn(await client.refresh(refresh, { client_secret: secret }));
    }
  });
});

describe('tokens', () => {
  async function connected(): Promise<{ client: OAuthClient; tokens: Tokens }> {
    const client = await OAuthClient.register(gateway);
    return { client, tokens: await client.connect(person) };
  }

  it('are replaced when they are refreshed', async () => {
    const { client, tokens } = await connected();
    const next = client.tokensIn(await client.refresh(tokens.refresh));
    expect(await heard(next.access)).toBe(200);
    expect(await heard(tokens.access)).toBe(401);
    expect(await heard(next.refresh), 'a refresh token opens nothing').toBe(401);
  });

  it('are given again when a refresh is repeated at once, as its answer may have been lost', async () => {
    const { client, tokens } = await connected();
    const next = client.tokensIn(await client.refresh(tokens.refresh));
    await gateway.restart();
    const again = client.tokensIn(await client.refresh(tokens.refresh));
    expect(again).toEqual(next);
    expect(await heard(again.access)).toBe(200);
    expect(plaintextsIn(gateway.output, gateway.secrets), 'in the log').toEqual([]);
    expect(plaintextsIn(storedText(gateway.dataFolder), gateway.secrets), 'in the database').toEqual([]);
  });

  it('all die when a refresh token comes a second time after the new ones were used', async () => {
    const { client, tokens } = await connected();
    const other = await client.connect(person);
    const next = client.tokensIn(await client.refresh(tokens.refresh));
    expect(await heard(next.access)).toBe(200);
    expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
    expect(await heard(next.access)).toBe(401);
    expect(fault(await client.refresh(next.refresh))).toEqual([400, 'invalid_grant']);
    expect(await heard(other.access), 'those of another code live on').toBe(200);
  });

  it('are the same for all when a refresh token comes many times at once', async () => {
    const { client, tokens } = await connected();
    const answers = await Promise.all(Array.from({ length: 8 }, () => client.refresh(tokens.refresh)));
    const given = answers.map((answer) => client.tokensIn(answer));
    expect(new Set(given.map(({ access, refresh }) => `${access} ${refresh}`)).size).toBe(1);
    expect(await heard(given[0]!.access)).toBe(200);
  });

  it('are good for less when less is asked for, by what is open already too', async () => {
    const { client, tokens } = await connected();
    const narrow = client.tokensIn(await client.refresh(tokens.refresh, { scope: 'telegram' }));
    expect(narrow.scope).toBe('telegram');
    const account = (await (await bearing(narrow.access, '/api/account')).json()) as {
      platforms: Record<string, { status: string }>;
    };
    expect(account.platforms.sip!.status).toBe('not_granted');
    expect(account.platforms.telegram!.status).not.toBe('not_granted');
    const more = await client.refresh(narrow.refresh, { scope: 'telegram openid' });
    expect(fault(more)).toEqual([400, 'invalid_scope']);
  });

  it('are told apart from none when they are wrong', async () => {
    const wrong = await bearing('mcp_wrong', '/api/calls');
    expect(wrong.headers.get('www-authenticate')).toMatch(/^Bearer error="invalid_token", /);
    const none = await fetch(`${gateway.baseUrl}/api/calls`);
    expect([none.status, none.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
  });

  it('die with the account’s yes: a repeat brings none back', async () => {
    const { client, tokens } = await connected();
    client.tokensIn(await client.refresh(tokens.refresh));
    await person.request('DELETE', `/api/mcp-authorizations/${client.id}`);
    expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
  });

  it('all die when their code comes a second time', async () => {
    const client = await OAuthClient.register(gateway);
    const code = (await client.askAndAnswer(person)).get('code')!;
    const tokens = client.tokensIn(await client.redeem(code));
    expect(await heard(tokens.access)).toBe(200);
    expect(fault(await client.redeem(code))).toEqual([400, 'invalid_grant']);
    expect(await heard(tokens.access)).toBe(401);
    expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
  });

  it('go back by either of them (RFC 7009), to the client that has them', async () => {
    for (const kind of ['access', 'refresh'] as const) {
      const { client, tokens } = await connected();
      const other = await OAuthClient.register(gateway);
      const giveBack = (who: OAuthClient) =>
        who.post('/oauth/revoke', { token: tokens[kind], client_id: who.id });
      expect((await giveBack(other)).status, 'says nothing to others').toBe(200);
      expect(await heard(tokens.access)).toBe(200);
      expect((await giveBack(client)).status).toBe(200);
      expect(await heard(tokens.access)).toBe(401);
      expect(fault(await client.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
      expect((await giveBack(client)).status, 'is done already').toBe(200);
    }
    const unknown = await (await connected()).client.post('/oauth/revoke', {
      token: 'x',
      client_id: 'cli_none',
    });
    expect(fault(unknown)).toEqual([401, 'invalid_client']);
  });

  it('outlive a restart of the gateway', async () => {
    const { client, tokens } = await connected();
    await gateway.restart();
    expect(await heard(tokens.access)).toBe(200);
    client.tokensIn(await client.refresh(tokens.refresh));
  });
});

describe('an attacker', () => {
  it('gets nothing without PKCE by S256', async () => {
    const client = await OAuthClient.register(gateway);
    for (const asked of [
      { code_challenge: '' },
      { code_challenge_method: '' },
      { code_challenge_method: 'plain' },
      { code_challenge: '', code_challenge_method: '' },
      { code_challenge: 'short' },
    ])
      expect((await client.ask(person, asked)).sentTo?.searchParams.get('error')).toBe('invalid_request');
    const wrong = { code_verifier: 'x'.repeat(43) };
    const code = (await client.askAndAnswer(person)).get('code')!;
    expect(fault(await client.redeem(code, wrong))).toEqual([400, 'invalid_grant']);
    expect(fault(await client.redeem(code)), 'a code that was tried is used').toEqual([400, 'invalid_grant']);
    const second = (await client.askAndAnswer(person)).get('code')!;
    expect((await client.redeem(second, { code_verifier: '' })).status).toBe(400);
    const third = (await client.askAndAnswer(person)).get('code')!;
    const plain = { code_verifier: client.challenge, code_challenge_method: 'plain' };
    expect(fault(await client.redeem(third, plain))).toEqual([400, 'invalid_grant']);
  });

  it('has nobody sent anywhere but where the client told', async () => {
    const client = await OAuthClient.register(gateway, {
      redirect_uris: [REDIRECT, 'https://client.example/callback?a=1'],
    });
    for (const redirect_uri of [
      'https://evil.example/callback',
      'https://client.example/callback',
      'https://client.example/callback?a=1&b=2',
      'https://client.example.evil.example/callback?a=1',
      'https://client.example@evil.example/callback?a=1',
      'http://client.example/callback?a=1',
      'http://127.0.0.1:33418/other',
      'http://localhost:33418/callback',
      'http://127.0.0.1.evil.example:33418/callback',
      'http://127.0.0.1:33418/callback#x',
      'javascript:alert(1)',
      '//evil.example',
      'https:\\\\evil.example',
      '',
    ]) {
      const { status, sentTo, html } = await client.ask(person, { redirect_uri });
      expect([redirect_uri, status, sentTo]).toEqual([redirect_uri, 400, null]);
      expect(html).not.toContain('href');
    }
    const { status, sentTo } = await client.ask(person, { client_id: 'cli_none', redirect_uri: REDIRECT });
    expect([status, sentTo]).toEqual([400, null]);
    const good = await client.ask(person, { redirect_uri: 'https://client.example/callback?a=1' });
    const back = (await answer(person, good.html)).sentTo!;
    expect(`${back}`).toMatch(/^https:\/\/client\.example\/callback\?a=1&code=mcc_/);
  });

  it('redeems a code at no other address than it was sent to', async () => {
    const client = await OAuthClient.register(gateway);
    for (const redirect_uri of ['http://127.0.0.1:33419/callback', 'https://evil.example/', '']) {
      const code = (await client.askAndAnswer(person)).get('code')!;
      const error = redirect_uri === '' ? 'invalid_request' : 'invalid_grant';
      expect(fault(await client.redeem(code, { redirect_uri }))).toEqual([400, error]);
    }
  });

  it('redeems and refreshes nothing of another client', async () => {
    const [client, other] = [await OAuthClient.register(gateway), await OAuthClient.register(gateway)];
    const code = (await client.askAndAnswer(person)).get('code')!;
    const stolen = await other.redeem(code, { code_verifier: client.verifier });
    expect(fault(stolen)).toEqual([400, 'invalid_grant']);
    const tokens = client.tokensIn(await client.redeem(code));
    expect(fault(await other.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
    expect(await heard(tokens.access)).toBe(200);
  });

  it('gets no token that is meant for another resource, nor for one that is none', async () => {
    const client = await OAuthClient.register(gateway);
    for (const resource of [
      'https://evil.example/mcp/',
      `${gateway.baseUrl}/api/`,
      'mcp',
      `${gateway.baseUrl}/mcp/#x`,
    ]) {
      const { sentTo } = await client.ask(person, { resource });
      expect([resource, sentTo?.searchParams.get('error')]).toEqual([resource, 'invalid_target']);
    }
    const url = `${gateway.baseUrl}/mcp`;
    const code = (await client.askAndAnswer(person, { resource: url })).get('code')!;
    expect(fault(await client.redeem(code, { resource: 'https://evil.example/mcp/' }))).toEqual([
      400,
      'invalid_target',
    ]);
    expect((await client.redeem(code, { resource: `${url}/?stateful` })).status).toBe(200);
  });

  it('cannot say yes for somebody, from another page, for another session or to another client', async () => {
    const client = await OAuthClient.register(gateway);
    const evil = await OAuthClient.register(gateway, { client_name: 'Evil' });
    const { html } = await client.ask(person);
    const form = new URLSearchParams({
      request: fieldIn(html, 'request'),
      ticket: fieldIn(html, 'ticket'),
      decision: 'allow',
      platform: 'telegram',
    });
    const submit = async (change: Record<string, string>, site?: string, who = person) => {
      const changed = new URLSearchParams({ ...Object.fromEntries(form), ...change });
      const { status, headers } = await who.submit('/oauth/authorize', changed, site);
      return [status, headers.get('location')];
    };
    const other = await memberOf(gateway, 'mallory@example.com');
    const evilRequest = new URL(evil.authorizeUrl(), gateway.baseUrl).search.slice(1);
    expect(await submit({}, 'cross-site')).toEqual([403, null]);
    expect(await submit({ ticket: '' })).toEqual([400, null]);
    expect(await submit({ request: evilRequest })).toEqual([400, null]);
    expect(await submit({ ticket: fieldIn((await evil.ask(person)).html, 'ticket') })).toEqual([400, null]);
    expect(await submit({}, 'same-origin', other), 'a ticket of another session').toEqual([400, null]);
    const all = (await person.request('GET', '/api/mcp-authorizations')).body.authorizations;
    expect(all.map(({ client_id }: { client_id: string }) => client_id)).not.toContain(client.id);
    expect((await submit({}))[0], 'the page itself').toBe(303);
  });

  it('can put the page in no frame, and no script into it', async () => {
    const client = await OAuthClient.register(gateway, {
      client_name: '</title><script>alert(1)</script>\u202e"><img src=x>',
    });
    const { headers, body } = await person.visit(
      client.authorizeUrl({ state: '"><script>alert(2)</script>' }),
    );
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    expect(headers.get('content-security-policy')).toContain("form-action 'self' http://127.0.0.1:33418;");
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(body).not.toMatch(/<script|<img|\u202e/);
  });

  it('is not let in by a parameter that comes twice', async () => {
    const client = await OAuthClient.register(gateway);
    const url = client.authorizeUrl();
    for (const [more, error] of [
      ['&scope=sip&scope=telegram', 'invalid_request'],
      ['&state=other', 'invalid_request'],
    ] as const) {
      const { headers } = await person.visit(url + more);
      expect(new URL(headers.get('location')!).searchParams.get('error')).toBe(error);
    }
    for (const more of ['&client_id=cli_other', `&redirect_uri=${encodeURIComponent(REDIRECT)}`]) {
      const { status, headers, body } = await person.visit(url + more);
      expect([status, headers.get('location')]).toEqual([400, null]);
      expect(body).toContain('The client sent a parameter more than once');
    }
    const form = 'grant_type=refresh_token&refresh_token=a&refresh_token=b';
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    for (const path of ['/oauth/token', '/oauth/revoke']) {
      const answered = await fetch(`${gateway.baseUrl}${path}`, { method: 'POST', body: form, headers });
      expect([answered.status, await answered.json()]).toMatchObject([400, { error: 'invalid_request' }]);
    }
  });

  it('registers no client that has people sent where codes are not safe', async () => {
    for (const redirect_uris of [
      [],
      undefined,
      'http://127.0.0.1/',
      ['http://client.example/'],
      ['cursor:callback'],
      ['javascript:alert(1)'],
      ['javascript://client/%0aalert(1)'],
      ['file:///etc/passwd'],
      ['data:text/html,x'],
      ['https://client.example/#x'],
      ['https://user:password@client.example/'],
      ['https://client.example/', 'http://192.168.0.1/'],
      ['http://127.0.0.1@evil.example/'],
    ])
      expect(fault(await register(gateway, { redirect_uris }))).toEqual([400, 'invalid_redirect_uri']);
    expect(fault(await register(gateway, { token_endpoint_auth_method: 'private_key_jwt' }))).toEqual([
      400,
      'invalid_client_metadata',
    ]);
  });
});

describe('the owner of the account', () => {
  it('sees who was let in, and lets them in no more', async () => {
    const client = await OAuthClient.register(gateway, { client_name: 'Leaving' });
    const { access, refresh } = await client.connect(person, {}, { platforms: ['telegram'] });
    expect(await heard(access)).toBe(200);
    const { body } = await person.request('GET', '/api/mcp-authorizations');
    const listed = body.authorizations.find(
      ({ client_id }: { client_id: string }) => client_id === client.id,
    );
    expect(listed).toMatchObject({ client_name: 'Leaving', platforms: ['telegram'], all_platforms: false });
    const agents = async () => (await person.request('GET', '/api/agents')).body.agents[0].oauth_clients;
    expect(await agents()).toContainEqual(
      expect.objectContaining({ client_id: client.id, client_name: 'Leaving' }),
    );

    const revoke = () => person.request('DELETE', `/api/mcp-authorizations/${client.id}`);
    expect((await revoke()).body).toEqual({ status: 'deleted' });
    expect(await heard(access)).toBe(401);
    expect(fault(await client.refresh(refresh))).toEqual([400, 'invalid_grant']);
    expect(JSON.stringify(await agents())).not.toContain(client.id);
    expect((await revoke()).body).toEqual({ detail: 'MCP authorization not found' });
    expect((await client.ask(person)).status, 'it is asked for again').toBe(200);
  });

  it('picks the agents that a client acts for, and cannot leave it without one', async () => {
    const second = (await person.request('POST', '/api/agents', { name: 'Second' })).body.id;
    const client = await OAuthClient.register(gateway);
    const { html } = await client.ask(person);
    expect(html).toContain(`value="${second}"`);
    const none = await answer(person, html, { agents: ['agt_of_nobody'] });
    expect([none.status, none.html]).toEqual([400, expect.stringContaining('Tick at least one agent')]);
    const { access } = await client.connect(person, {}, { agents: [second] });
    const { body } = await person.request('DELETE', `/api/agents/${second}`);
    expect(body).toEqual({ detail: 'A key, client or account is in no other agent: move it first' });
    await person.request('DELETE', `/api/mcp-authorizations/${client.id}`);
    expect((await person.request('DELETE', `/api/agents/${second}`)).status).toBeLessThan(300);
    expect(await heard(access)).toBe(401);
  });

  it('takes platforms away by saying yes to fewer', async () => {
    const client = await OAuthClient.register(gateway);
    const { access } = await client.connect(person);
    const granted = async () => {
      const { platforms } = (await (await bearing(access, '/api/account')).json()) as {
        platforms: Record<string, { status: string }>;
      };
      return Object.keys(platforms).filter((name) => platforms[name]!.status !== 'not_granted');
    };
    expect(await granted()).toHaveLength(9);
    await client.askAndAnswer(person, { prompt: 'consent' }, { platforms: ['slack'] });
    expect(await granted()).toEqual(['slack']);
  });

  it('takes the client along when the account is deleted, and finds it in the export', async () => {
    const leaver = await memberOf(gateway, 'leaver@example.com');
    const client = await OAuthClient.register(gateway, { client_name: 'Exported' });
    const { access } = await client.connect(leaver);
    const exported = (await leaver.request('GET', '/api/export')).body;
    expect(exported.mcp_authorizations).toMatchObject([{ client_id: client.id }]);
    const actions = exported.audit_log.map(({ action }: { action: string }) => action);
    expect(actions).toContain('mcp_authorization.approve');
    expect(
      (await leaver.request('DELETE', '/api/account', { password: leaver.password, confirm: 'DELETE' }))
        .status,
    ).toBeLessThan(300);
    expect(await heard(access)).toBe(401);
  });
});

describe('discovery', () => {
  const get = async (path: string) => (await gateway.api(null).get(path)).body;

  it('leads from the MCP server to the authorization server, in its own spelling', async () => {
    const known = '/.well-known/oauth-protected-resource';
    expect(await get(`${known}/mcp/`)).toMatchObject({
      resource: `${gateway.baseUrl}/mcp/`,
      authorization_servers: [gateway.baseUrl],
    });
    expect((await get(`${known}/mcp`)).resource).toBe(`${gateway.baseUrl}/mcp`);
    expect((await get(known)).resource).toBe(`${gateway.baseUrl}/mcp/`);
  });

  it('describes the server, also to those who look for OpenID Connect', async () => {
    const metadata = await get('/.well-known/oauth-authorization-server');
    expect(metadata).toMatchObject({
      issuer: gateway.baseUrl,
      code_challenge_methods_supported: ['S256'],
      authorization_response_iss_parameter_supported: true,
      client_id_metadata_document_supported: true,
    });
    expect(await get('/.well-known/openid-configuration')).toEqual(metadata);
    expect(await get(metadata.jwks_uri.slice(gateway.baseUrl.length))).toEqual({ keys: [] });
  });
});
