import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import type { Gateway } from '../support/gateway.ts';
import { startWithProvider } from '../support/gateway-with-provider.ts';
import type { IdentityProviderPeer } from '../support/identity-provider.ts';
import { requirePeer } from '../support/require-peer.ts';

describe.skipIf(requirePeer('chromium'))('signing in at a provider on another site, in a browser', () => {
  let peer: IdentityProviderPeer;
  let gateway: Gateway;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    // The gateway is 127.0.0.1, so browsers take the provider for another site and send cookies as to one.
    ({ peer, gateway } = await startWithProvider('localhost'));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await peer?.stop();
  });
  beforeEach(async () => {
    context = await browser.newContext();
    page = await context.newPage();
  });
  afterEach(() => context?.close());

  async function signIn(email: string): Promise<void> {
    peer.person = { subject: email, email, emailVerified: true };
    await page.goto(`${gateway.baseUrl}/auth/oauth/acme/start`);
    await page.getByRole('heading', { name: 'You are signed in' }).waitFor();
  }

  async function identities(): Promise<string> {
    await page.goto(`${gateway.baseUrl}/auth/identities`);
    return (await page.locator('body').textContent()) ?? '';
  }

  it('opens a session that scripts cannot read', async () => {
    await signIn('ida@example.com');
    expect(new URL(page.url()).origin).toBe(gateway.baseUrl);
    const session = (await context.cookies(gateway.baseUrl)).find(({ name }) => name === 'svc_session');
    expect(session).toMatchObject({ httpOnly: true, sameSite: 'Lax' });
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(await identities()).toContain('ida@example.com');
  });

  it('cannot be undone, nor an identity linked, by a page of the other site', async () => {
    await signIn('nina@example.com');
    await page.goto(`${peer.issuer}/.well-known/openid-configuration`);
    const post = `fetch('${gateway.baseUrl}/auth/logout', {method: 'POST', credentials: 'include', mode: 'no-cors'})`;
    await page.evaluate(`${post}.then(() => undefined)`);
    await page.evaluate(`{
      const form = document.body.appendChild(document.createElement('form'));
      Object.assign(form, { method: 'post', action: '${gateway.baseUrl}/auth/logout' });
      form.submit();
    }`);
    await page.waitForURL(`${gateway.baseUrl}/auth/logout`);

    peer.person = { subject: 'mallory' };
    await page.goto(`${peer.issuer}/.well-known/openid-configuration`);
    await page.evaluate(`location.href = '${gateway.baseUrl}/auth/oauth/acme/start'`);
    await page.getByText('from a page of the gateway').waitFor();
    const shown = JSON.parse(await identities());
    expect(shown.identities).toMatchObject([{ provider: 'acme', email: 'nina@example.com' }]);
  });
});
