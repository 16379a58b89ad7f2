import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Gateway } from '../support/gateway.ts';
import { memberOf } from '../support/member.ts';
import {
  answer,
  fault,
  fieldIn,
  OAuthClient,
  REDIRECT,
  register,
  statusFor,
} from '../support/oauth-client.ts';
import type { Person } from '../support/person.ts';

let gateway: Gateway;
let person: Person;

beforeAll(async () => {
  gateway = await Gateway.start({ env: { SVC_SIGNUP: 'open', SVC_LOGIN_ATTEMPTS: '1000' } });
  person = await memberOf(gateway, 'ada@example.com');
});
afterAll(() => gateway?.stop());

describe('an attacker', () => {
  it('gets no tokens without PKCE using S256', async () => {
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

  it('cannot redirect to an unregistered address', async () => {
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

  it('cannot redeem a code with another redirect URI', async () => {
    const client = await OAuthClient.register(gateway);
    for (const redirect_uri of ['http://127.0.0.1:33419/callback', 'https://evil.example/', '']) {
      const code = (await client.askAndAnswer(person)).get('code')!;
      const error = redirect_uri === '' ? 'invalid_request' : 'invalid_grant';
      expect(fault(await client.redeem(code, { redirect_uri }))).toEqual([400, error]);
    }
  });

  it('cannot redeem codes or refresh tokens of another client', async () => {
    const [client, other] = [await OAuthClient.register(gateway), await OAuthClient.register(gateway)];
    const code = (await client.askAndAnswer(person)).get('code')!;
    const stolen = await other.redeem(code, { code_verifier: client.verifier });
    expect(fault(stolen)).toEqual([400, 'invalid_grant']);
    const tokens = client.tokensIn(await client.redeem(code));
    expect(fault(await other.refresh(tokens.refresh))).toEqual([400, 'invalid_grant']);
    expect(await statusFor(gateway, tokens.access)).toBe(200);
  });

  it('gets no token for another resource, nor for an invalid one', async () => {
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

  it('cannot forge consent from another site, from another session or for another client', async () => {
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

  it('cannot frame the consent page or inject scripts into it', async () => {
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

  it('gains nothing by repeating a parameter', async () => {
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

  it('cannot register a client with an unsafe redirect URI', async () => {
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
