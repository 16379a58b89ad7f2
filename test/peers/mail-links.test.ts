import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import type { Gateway } from '../support/gateway.ts';
import { startWithMailbox } from '../support/gateway-with-mailbox.ts';
import { linkIn, type Mailbox } from '../support/mailbox.ts';
import { Person } from '../support/person.ts';
import { requirePeer } from '../support/require-peer.ts';

const EMAIL = 'ada@example.com';
const NEW_EMAIL = 'ada@example.org';

describe.skipIf(requirePeer('chromium'))('links in mails, opened in a browser,', () => {
  let mailbox: Mailbox;
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    ({ mailbox, gateway } = await startWithMailbox());
    browser = await launchChromium();
    await new Person(gateway.baseUrl, EMAIL).signUp();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
    await mailbox?.close();
  });
  beforeEach(async () => {
    page = await browser.newPage();
    complaints = [];
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('console', (message) => {
      if (/Content Security Policy/.test(message.text())) complaints.push(message.text());
    });
  });
  afterEach(() => page.close());

  it('verify an address by a button, without scripts', async () => {
    const context = await browser.newContext({ javaScriptEnabled: false });
    const plain = await context.newPage();
    await plain.goto(linkIn(await mailbox.take(EMAIL, 'Confirm your email address')));
    expect((await new Person(gateway.baseUrl, EMAIL).signIn()).body.email_verified).toBe(false);
    await plain.getByRole('button', { name: 'Confirm address' }).click();
    await plain.getByRole('heading', { name: 'Address confirmed' }).waitFor();
    expect((await new Person(gateway.baseUrl, EMAIL).signIn()).body.email_verified).toBe(true);
    await context.close();
  });

  it('verify an address at once when its owner is signed in', async () => {
    const person = new Person(gateway.baseUrl, 'bob@example.com');
    await person.signUp();
    const link = linkIn(await mailbox.take(person.email, 'Confirm your email address'));
    const login = (body: object) =>
      `fetch('/auth/login', {method: 'POST', headers: {'Content-Type': 'application/json'}, body: '${JSON.stringify(body)}'}).then((answer) => answer.status)`;
    await page.goto(`${gateway.baseUrl}/healthz`);
    const { email, password } = person;
    expect(await page.evaluate(login({ email, password }))).toBe(200);
    const cookies = await page.context().cookies(gateway.baseUrl);
    expect(cookies.map(({ name, httpOnly, sameSite }) => [name, httpOnly, sameSite]).sort()).toEqual([
      ['svc_browser', true, 'Strict'],
      ['svc_session', true, 'Lax'],
    ]);
    // As from a mail in the browser: the visit comes from another site.
    await page.setContent(`<a href="${link}">Confirm</a>`);
    await page.getByRole('link', { name: 'Confirm' }).click();
    await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
    await page.goto(`${gateway.baseUrl}/auth/identities`);
    expect(await page.locator('body').textContent()).toContain('identities');
    await page.context().clearCookies();
    expect(complaints).toEqual([]);
  });

  it('change the address of an account by a button', async () => {
    const person = new Person(gateway.baseUrl, EMAIL);
    await person.signIn();
    const wanted = { new_email: NEW_EMAIL, password: person.password };
    expect((await person.request('POST', '/api/change-email', wanted)).status).toBe(200);
    await page.goto(linkIn(await mailbox.take(wanted.new_email, 'Confirm your new email address')));
    await page.getByRole('button', { name: 'Confirm new address' }).click();
    await page.getByRole('heading', { name: 'Address changed' }).waitFor();
    await mailbox.take(EMAIL, 'Your email address was changed');
    await mailbox.take(wanted.new_email, 'Your account now uses this address');
    expect((await person.request('GET', '/auth/identities')).status).toBe(401);
    expect(complaints).toEqual([]);
  });

  it('set a new password, once', async () => {
    await page.goto(`${gateway.baseUrl}/auth/reset-password`);
    await page.getByLabel('Email address').fill(NEW_EMAIL);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('an email is on its way').waitFor();

    const link = linkIn(await mailbox.take(NEW_EMAIL, 'Set a new password'));
    await page.goto(link);
    expect(page.url()).toBe(`${gateway.baseUrl}/auth/reset-password`);
    const set = async (password: string, again: string) => {
      await page.getByLabel('New password').fill(password);
      await page.getByLabel('Repeat the password').fill(again);
      await page.getByRole('button', { name: 'Set password' }).click();
    };
    await set('a new password', 'another password');
    await page.getByText('The two passwords differ').waitFor();
    await set('a new password', 'a new password');
    await page.getByText('Your password was changed').waitFor();
    expect((await new Person(gateway.baseUrl, NEW_EMAIL, 'a new password').signIn()).status).toBe(200);

    await page.goto(link);
    await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
    await page.getByRole('link', { name: 'Request a new one' }).click();
    await page.getByLabel('Email address').waitFor();
    expect(complaints).toEqual([]);
  });
});
