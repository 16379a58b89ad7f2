import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { signUpInBrowser } from '../support/browser-sign-up.ts';
import { launchChromium } from '../support/chromium.ts';
import type { Gateway } from '../support/gateway.ts';
import { startWithProvider } from '../support/gateway-with-provider.ts';
import type { IdentityProviderPeer } from '../support/identity-provider.ts';
import { OAuthClient } from '../support/oauth-client.ts';
import { lookAt, WINDOWS } from '../support/page-look.ts';
import { requirePeer } from '../support/require-peer.ts';

/** Set to a folder to keep pictures of the pages. */
const PICTURES = process.env.CONSENT_PICTURES;

describe.skipIf(requirePeer('chromium'))('authorizing an MCP client in a browser', () => {
  let peer: IdentityProviderPeer;
  let gateway: Gateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let listener: Server;
  let redirect: string;

  beforeAll(async () => {
    ({ peer, gateway } = await startWithProvider('localhost'));
    listener = createServer((_request, response) => response.end('You can go back to your assistant.'));
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    redirect = `http://127.0.0.1:${(listener.address() as AddressInfo).port}/callback`;
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await peer?.stop();
    listener?.close();
  });
  beforeEach(async () => {
    context = await browser.newContext({ viewport: WINDOWS.desktop });
    page = await context.newPage();
  });
  afterEach(() => context?.close());

  async function client(clientName: string): Promise<OAuthClient> {
    return await OAuthClient.register(gateway, { client_name: clientName, redirect_uris: [redirect] });
  }

  async function open(mcp: OAuthClient): Promise<void> {
    await page.goto(gateway.baseUrl + mcp.authorizeUrl({ redirect_uri: redirect }));
  }

  async function sentBack(): Promise<URLSearchParams> {
    await page.waitForURL(`${redirect}?*`);
    return new URL(page.url()).searchParams;
  }

  it('leads from sign-up to a token, which revocation ends', async () => {
    const mcp = await client('Claude Code');
    await open(mcp);
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await lookAt(page, 'sign-in', PICTURES);
    await signUpInBrowser(page, gateway, 'ida@example.com');
    await page.getByRole('heading', { name: 'Connect Claude Code?' }).waitFor();
    await lookAt(page, 'consent', PICTURES);
    for (const box of await page.getByRole('checkbox').all()) await box.uncheck();
    await page.getByRole('button', { name: 'Allow' }).click();
    await page.getByRole('alert').waitFor();
    await lookAt(page, 'nothing-ticked', PICTURES);
    await page.getByLabel('Telegram').check();
    await page.getByRole('button', { name: 'Allow' }).click();
    const query = await sentBack();
    expect([query.get('state'), query.get('iss')]).toEqual(['st4te', gateway.baseUrl]);
    const tokens = mcp.tokensIn(await mcp.redeem(query.get('code')!, { redirect_uri: redirect }));
    expect(tokens.scope).toBe('telegram');
    const asked = () => gateway.api(tokens.access).get('/api/account');
    expect((await asked()).body.platforms.sip.status).toBe('not_granted');

    const script = `fetch('/api/mcp-authorizations/${mcp.id}', {method: 'DELETE'}).then((answer) => answer.status)`;
    await page.goto(`${gateway.baseUrl}/healthz`);
    expect(await page.evaluate(script)).toBe(200);
    expect((await asked()).status).toBe(401);
  });

  it('asks for consent once, and redirects with an error on denial', async () => {
    const mcp = await client('Visual Studio Code');
    await open(mcp);
    await signUpInBrowser(page, gateway, 'nina@example.com');
    await page.getByRole('button', { name: 'Deny' }).click();
    expect((await sentBack()).get('error')).toBe('access_denied');
    await open(mcp);
    await page.getByRole('button', { name: 'Allow' }).click();
    expect((await sentBack()).has('code')).toBe(true);
    await open(mcp);
    expect((await sentBack()).has('code')).toBe(true);
  });

  it('redirects to an application by a custom scheme', async () => {
    const own = 'cursor://anysphere.cursor-retrieval/oauth/user-voice/callback';
    const mcp = await OAuthClient.register(gateway, { client_name: 'Cursor', redirect_uris: [own] });
    const asked = gateway.baseUrl + mcp.authorizeUrl({ redirect_uri: own });
    await page.goto(asked);
    await signUpInBrowser(page, gateway, 'cora@example.com');
    await page.getByText('whichever opens cursor:').waitFor();
    await lookAt(page, 'application', PICTURES);
    // No such application exists here, so the request fails; under a forbidding policy the browser would not try.
    const isApplication = (url: string) => url.startsWith(`${own}?code=mcc_`);
    const sent = page.waitForEvent('requestfailed', (request) => isApplication(request.url()));
    await page.getByRole('button', { name: 'Allow' }).click();
    const code = new URL((await sent).url()).searchParams.get('code')!;
    mcp.tokensIn(await mcp.redeem(code, { redirect_uri: own }));
  });

  it('lets another person sign in', async () => {
    const mcp = await client('ChatGPT');
    await open(mcp);
    await signUpInBrowser(page, gateway, 'otto@example.com');
    await page.getByRole('link', { name: 'Use another account' }).click();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await signUpInBrowser(page, gateway, 'olga@example.com');
    await page.getByText('Signed in as olga@example.com').waitFor();
  });

  it('continues after signing in at another provider', async () => {
    peer.person = { subject: 'ilse', email: 'ilse@example.com', emailVerified: true };
    await open(await client('Claude'));
    await lookAt(page, 'providers', PICTURES);
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByText('Signed in as ilse@example.com').waitFor();
    await page.getByRole('button', { name: 'Allow' }).click();
    expect((await sentBack()).has('code')).toBe(true);
  });

  it('reports a wrong password and an existing account', async () => {
    const mcp = await client('Claude');
    await open(mcp);
    await signUpInBrowser(page, gateway, 'vera@example.com');
    await page.getByRole('heading', { name: 'Connect Claude?' }).waitFor();
    await context.clearCookies();
    await page.reload();
    await page.getByLabel('Email address').fill('vera@example.com');
    await page.getByLabel('Password').fill('another password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid email or password').waitFor();
    await page.getByRole('button', { name: 'Create an account' }).click();
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByText('may already have an account').waitFor();
    await lookAt(page, 'taken', PICTURES);
  });

  it('shows several agents, long names and dark colours', async () => {
    const mcp = await client(
      'An assistant whose maker could not find a shorter name for it, however hard they tried',
    );
    await open(mcp);
    await signUpInBrowser(page, gateway, 'a.rather.long.address.of.somebody@subdomain.example.com');
    await page.getByRole('button', { name: 'Deny' }).waitFor();
    const script = `fetch('/api/agents', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: JSON.stringify({name: 'Reception of the whole house'})}).then((answer) => answer.status)`;
    expect(await page.evaluate(script).catch(() => 'blocked'), 'the page asks nothing itself').toBe(
      'blocked',
    );
    await page.goto(`${gateway.baseUrl}/healthz`);
    expect(await page.evaluate(script)).toBeLessThan(300);
    await open(mcp);
    await page.getByLabel('Reception of the whole house').waitFor();
    await lookAt(page, 'agents', PICTURES);
    await page.emulateMedia({ colorScheme: 'dark' });
    await lookAt(page, 'agents-dark', PICTURES);
  });

  it('shows what is wrong with an invalid request', async () => {
    const mcp = await client('Claude');
    await open(mcp);
    await signUpInBrowser(page, gateway, 'rita@example.com');
    await page.getByRole('heading', { name: 'Connect Claude?' }).waitFor();
    await page.goto(gateway.baseUrl + mcp.authorizeUrl({ redirect_uri: 'https://evil.example/' }));
    await page.getByText('The redirect URI is not registered').waitFor();
    await lookAt(page, 'refused', PICTURES);
  });
});
