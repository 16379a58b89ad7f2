import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { FakeNextcloud } from '../fakes/nextcloud/fake-nextcloud.ts';
import type { FakeNcUser } from '../fakes/nextcloud/world/fake-nc-user.ts';
import { signUpInBrowser } from '../support/browser-sign-up.ts';
import { launchChromium } from '../support/chromium.ts';
import type { Gateway } from '../support/gateway.ts';
import { startWithProvider } from '../support/gateway-with-provider.ts';
import type { IdentityProviderPeer } from '../support/identity-provider.ts';
import { lookAt, WINDOWS } from '../support/page-look.ts';
import { requirePeer } from '../support/require-peer.ts';

/** Set to a folder to keep pictures of the pages. */
const PICTURES = process.env.PAIRING_PICTURES;

describe.skipIf(requirePeer('chromium'))('pairing with a Nextcloud in a browser', () => {
  let peer: IdentityProviderPeer;
  let gateway: Gateway;
  let browser: Browser;
  let nextcloud: FakeNextcloud;
  let admin: FakeNcUser;
  let context: BrowserContext;
  let page: Page;

  beforeAll(async () => {
    ({ peer, gateway } = await startWithProvider('localhost', { SVC_NCTALK_ALLOW: '127.0.0.1' }));
    browser = await launchChromium();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await peer?.stop();
  });
  beforeEach(async () => {
    nextcloud = await FakeNextcloud.start();
    nextcloud.addon.gatewayUrl = gateway.baseUrl;
    gateway.secrets.add(nextcloud.addon.apiSecret);
    admin = nextcloud.user('root', 'Root', { isAdmin: true });
    context = await browser.newContext({ viewport: WINDOWS.desktop });
    page = await context.newPage();
  });
  afterEach(async () => {
    await context?.close();
    expect(nextcloud.mistakes).toEqual([]);
    await nextcloud.stop();
  });

  async function logInThere({ uid, password }: FakeNcUser): Promise<void> {
    await page.goto(`${nextcloud.url}/login`);
    await page.getByLabel('Account name').fill(uid);
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Dashboard' }).waitFor();
  }

  const beginThere = (origin = 'nc_admin') =>
    page.goto(`${nextcloud.url}/apps/chamade_talk/connect-start?origin=${origin}`);

  const host = () => new URL(nextcloud.url).host;

  /** The labels of the connections of whoever is signed in. */
  async function connections(): Promise<string[]> {
    const script = `fetch('/api/platforms').then((answer) => answer.json()).then(({ platforms }) =>
      platforms.find(({ platform }) => platform === 'nctalk').accounts.map(({ label }) => label))`;
    const own = await context.newPage();
    await own.goto(`${gateway.baseUrl}/healthz`);
    return await own.evaluate(script);
  }

  it('leads an administrator from the Nextcloud through sign-up and back', async () => {
    await logInThere(admin);
    await beginThere();
    await page.getByRole('heading', { name: 'Sign in' }).waitFor();
    await lookAt(page, 'sign-in', PICTURES);
    await signUpInBrowser(page, gateway, 'ida@example.com');
    await page.getByRole('heading', { name: `Connect ${host()}?` }).waitFor();
    await page.getByText('Signed in as ida@example.com').waitFor();
    await lookAt(page, 'consent', PICTURES);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Connected.').waitFor();
    expect(page.url()).toBe(`${nextcloud.url}/settings/admin/talk?connected=1`);
    expect(nextcloud.addon.bots.size).toBe(1);
    expect(await connections()).toEqual([`root@${host()}`]);
  });

  it('takes no for an answer', async () => {
    await logInThere(admin);
    await beginThere('dashboard');
    await signUpInBrowser(page, gateway, 'nora@example.com');
    await page.getByRole('button', { name: 'Decline' }).click();
    await page.getByText('You have declined').waitFor();
    await lookAt(page, 'declined', PICTURES);
    expect(nextcloud.addon.bots.size).toBe(0);
    expect(await connections()).toEqual([]);
  });

  it('tells the Nextcloud when it is too late', async () => {
    await logInThere(admin);
    await beginThere();
    await signUpInBrowser(page, gateway, 'lena@example.com');
    nextcloud.pages.pending = { ...nextcloud.pages.pending!, expires: 0 };
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Not connected: state_expired').waitFor();
    expect(await connections()).toEqual([]);
  });

  it('continues after signing in at another provider, and lets somebody else sign in', async () => {
    peer.person = { subject: 'ilse', email: 'ilse@example.com', emailVerified: true };
    await logInThere(admin);
    await beginThere('dashboard');
    await page.getByRole('link', { name: 'Continue with Acme' }).click();
    await page.getByText('Signed in as ilse@example.com').waitFor();
    await page.getByRole('link', { name: 'Use another account' }).click();
    await signUpInBrowser(page, gateway, 'a.rather.long.address.of.somebody@subdomain.example.com');
    await page.getByText('Signed in as a.rather.long.address').waitFor();
    await lookAt(page, 'long-address', PICTURES);
    await page.getByRole('button', { name: 'Connect' }).click();
    await page.getByText('Nextcloud Talk is connected.').waitFor();
    await lookAt(page, 'connected', PICTURES);
    expect(await connections()).toEqual([`root@${host()}`]);
  });

  it('explains what is wrong with a request', async () => {
    const long = `https://${'a-nextcloud-with-a-long-name.'.repeat(6)}example.com`;
    const query = new URLSearchParams({ nc_state: 'f'.repeat(32), nc_url: `${long}/?x` });
    await page.goto(`${gateway.baseUrl}/connect/nctalk?${query}`);
    await page.getByText('without what follows').waitFor();
    await lookAt(page, 'refused', PICTURES);
    query.set('nc_url', long);
    await page.goto(`${gateway.baseUrl}/connect/nctalk?${query}`);
    await signUpInBrowser(page, gateway, 'olga@example.com');
    await page.getByRole('button', { name: 'Decline' }).waitFor();
    await lookAt(page, 'long-host', PICTURES);
  });

  it('leads from the gateway to the Nextcloud, where any user agrees', async () => {
    const eve = nextcloud.user('eve', 'Eve');
    await page.goto(
      `${gateway.baseUrl}/connect/nctalk?${new URLSearchParams({
        nc_state: 'f'.repeat(32),
        nc_url: nextcloud.url,
      })}`,
    );
    await signUpInBrowser(page, gateway, 'emma@example.com');
    await page.goto(`${gateway.baseUrl}/healthz`);
    const body = JSON.stringify({ server_url: nextcloud.url });
    const start = `fetch('/api/oauth/start/nctalk', {method: 'POST', headers: {'Content-Type': 'application/json'},
      body: ${JSON.stringify(body)}}).then((answer) => answer.json())`;
    const { authorize_url: url } = await page.evaluate<{ authorize_url: string }>(start);
    await page.goto(url);
    await page.getByLabel('Account name').fill(eve.uid);
    await page.getByLabel('Password').fill(eve.password);
    await page.getByRole('button', { name: 'Log in' }).click();
    await page.getByRole('heading', { name: 'Authorize The agents of emma@example.com' }).waitFor();
    // The addon sends the browser to the gateway's host without its port, where nothing is.
    const sent = page.waitForRequest((request) => request.url().endsWith('/dashboard?nctalk=connected'));
    await page.getByRole('button', { name: 'Authorize' }).click();
    await sent;
    expect(await connections()).toEqual([`eve@${host()}`]);
  });
});
