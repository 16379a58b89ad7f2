import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import { answer, fault, fetchWithToken, OAuthClient, REDIRECT, statusFor } from '../support/oauth-client.ts';
import { Person } from '../support/person.ts';

let gateway: Gateway;
let person: Person;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000' } });
  person = await memberOf(gateway, 'ada@example.com');
});
afterAll(() => gateway?.stop());

describe('the OAuth flow', () => {
  it('ends with an access token for runtime routes, not for configuration', async () => {
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
    expect(await statusFor(gateway, access)).toBe(200);
    expect(await statusFor(gateway, access, '/api/account')).toBe(200);
    expect(await statusFor(gateway, access, '/api/agents')).toBe(403);
    expect(await statusFor(gateway, access, '/api/export')).toBe(403);
    expect(await statusFor(gateway, access, '/auth/identities')).toBe(403);
  });

  it('asks for consent once: the same client is approved again without a page', async () => {
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

  it('redirects to a desktop application by its own scheme, asking for consent each time', async () => {
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

  it('returns access_denied when the person denies', async () => {
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

  it('requires at least one platform', async () => {
    const client = await OAuthClient.register(gateway);
    const { html } = await client.ask(person);
    const after = await answer(person, html, { platforms: [] });
    expect([after.status, after.html]).toEqual([400, expect.stringContaining('Tick at least one platform')]);
  });

  it('asks a signed-out person to sign in first', async () => {
    const client = await OAuthClient.register(gateway);
    const stranger = await memberOf(gateway, 'eve@example.com');
    stranger.cookie = null;
    const page = await client.ask(stranger);
    expect([page.status, page.html]).toEqual([200, expect.stringContaining('<h1>Sign in</h1>')]);
    await stranger.signIn();
    expect((await client.ask(stranger)).html).toContain('Connect Test client?');
    expect((await client.ask(stranger, { prompt: 'login' })).html).toContain('<h1>Sign in</h1>');
  });

  it('offers only the requested platforms, and grants no more', async () => {
    const client = await OAuthClient.register(gateway);
    const { html } = await client.ask(person, { scope: 'telegram sip' });
    expect(html).toContain('value="telegram" checked');
    expect(html).not.toContain('value="slack"');
    const { sentTo } = await answer(person, html, { platforms: ['telegram', 'slack'] });
    const answered = await client.redeem(sentTo!.searchParams.get('code')!);
    expect(answered.body.scope).toBe('telegram');
  });

  it('requires the secret of a confidential client, by header or form', async () => {
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
      expect(await statusFor(gateway, access)).toBe(200);
      expect(fault(await client.refresh(refresh))).toEqual([400, 'invalid_client']);
      client.tokensIn(await client.refresh(refresh, { client_secret: secret }));
    }
  });
});

describe('the owner of the account', () => {
  it('lists authorized clients and revokes them', async () => {
    const client = await OAuthClient.register(gateway, { client_name: 'Leaving' });
    const { access, refresh } = await client.connect(person, {}, { platforms: ['telegram'] });
    expect(await statusFor(gateway, access)).toBe(200);
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
    expect(await statusFor(gateway, access)).toBe(401);
    expect(fault(await client.refresh(refresh))).toEqual([400, 'invalid_grant']);
    expect(JSON.stringify(await agents())).not.toContain(client.id);
    expect((await revoke()).body).toEqual({
      detail: 'MCP authorization not found',
      code: 'authorization_not_found',
    });
    expect((await client.ask(person)).status, 'it is asked for again').toBe(200);
  });

  it('chooses the agents of a client, which must keep at least one', async () => {
    const second = (await person.request('POST', '/api/agents', { name: 'Second' })).body.id;
    const client = await OAuthClient.register(gateway);
    const { html } = await client.ask(person);
    expect(html).toContain(`value="${second}"`);
    const none = await answer(person, html, { agents: ['agt_of_nobody'] });
    expect([none.status, none.html]).toEqual([400, expect.stringContaining('Tick at least one agent')]);
    const { access } = await client.connect(person, {}, { agents: [second] });
    const { body } = await person.request('DELETE', `/api/agents/${second}`);
    expect(body).toEqual({
      detail: 'A key, client or platform account belongs to this agent only; add it to another agent first',
      code: 'would_orphan',
    });
    await person.request('DELETE', `/api/mcp-authorizations/${client.id}`);
    expect((await person.request('DELETE', `/api/agents/${second}`)).status).toBeLessThan(300);
    expect(await statusFor(gateway, access)).toBe(401);
  });

  it('removes platforms by granting fewer', async () => {
    const client = await OAuthClient.register(gateway);
    const { access } = await client.connect(person);
    const granted = async () => {
      const { platforms } = (await (await fetchWithToken(gateway, access, '/api/account')).json()) as {
        platforms: Record<string, { status: string }>;
      };
      return Object.keys(platforms).filter((name) => platforms[name]!.status !== 'not_granted');
    };
    expect(await granted()).toHaveLength(9);
    await client.askAndAnswer(person, { prompt: 'consent' }, { platforms: ['slack'] });
    expect(await granted()).toEqual(['slack']);
  });

  it('finds the client in the export, and revokes it by deleting the account', async () => {
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
    expect(await statusFor(gateway, access)).toBe(401);
  });
});

describe('discovery', () => {
  const get = async (path: string) => (await gateway.api(null).get(path)).body;

  it('leads from the MCP server to the authorization server, keeping the spelling of its URL', async () => {
    const known = '/.well-known/oauth-protected-resource';
    expect(await get(`${known}/mcp/`)).toMatchObject({
      resource: `${gateway.baseUrl}/mcp/`,
      authorization_servers: [gateway.baseUrl],
    });
    expect((await get(`${known}/mcp`)).resource).toBe(`${gateway.baseUrl}/mcp`);
    expect((await get(known)).resource).toBe(`${gateway.baseUrl}/mcp/`);
  });

  it('describes the authorization server, also under the OpenID Connect path', async () => {
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
