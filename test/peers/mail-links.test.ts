import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { Gateway } from '../support/gateway.ts';
import { linkIn, Mailbox } from '../support/mailbox.ts';
import { Person } from '../support/person.ts';
import { requirePeer } from '../support/require-peer.ts';

const EMAIL = 'ada@example.com';

describe.skipIf(requirePeer('chromium'))('the links of mails, in a browser', () => {
  let mailbox: Mailbox;
  let gateway: Gateway;
  let browser: Browser;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    mailbox = await Mailbox.open();
    gateway = await Gateway.start({
      env: { SVC_SIGNUP: 'open', SVC_SMTP_URL: mailbox.url, SVC_MAIL_FROM: 'gateway@example.com' },
    });
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

  it('prove an address', async () => {
    await page.goto(linkIn(await mailbox.take(EMAIL, 'Confirm your email address')));
    await page.getByRole('heading', { name: 'Address confirmed' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('set a new password, once', async () => {
    await page.goto(`${gateway.baseUrl}/auth/reset-password`);
    await page.getByLabel('Email address').fill(EMAIL);
    await page.getByRole('button', { name: 'Send link' }).click();
    await page.getByText('the mail is on its way').waitFor();

    const link = linkIn(await mailbox.take(EMAIL, 'Set a new password'));
    await page.goto(link);
    expect(page.url()).toBe(`${gateway.baseUrl}/auth/reset-password`);
    const set = async (password: string, again: string) => {
      await page.getByLabel('New password').fill(password);
      await page.getByLabel('The same again').fill(again);
      await page.getByRole('button', { name: 'Set password' }).click();
    };
    await set('a new password', 'another password');
    await page.getByText('The two passwords differ').waitFor();
    await set('a new password', 'a new password');
    await page.getByText('Your password was changed').waitFor();
    expect((await new Person(gateway.baseUrl, EMAIL, 'a new password').signIn()).status).toBe(200);

    await page.goto(link);
    await set('a third password', 'a third password');
    await page.getByText('Invalid or expired token').waitFor();
    expect(complaints).toEqual([]);
  });
});
