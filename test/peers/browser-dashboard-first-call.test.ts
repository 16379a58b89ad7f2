import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessFaults } from '../support/axe.ts';
import { Baresip } from '../support/baresip.ts';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { lookAt } from '../support/page-look.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor } from '../support/wait-for.ts';

/** Where pictures of the pages are kept, if anywhere. */
const PICTURES = process.env.DASHBOARD_PICTURES;
const TRUNKS_ON_LOOPBACK = { SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8' };
const NUMBER = '+33123456789';

describe.skipIf(requirePeer('chromium', 'baresip'))('the dashboard, from the first start to a call', () => {
  let gateway: Gateway;
  let browser: Browser;
  let phone: Baresip;
  let visit: DashboardVisit;

  beforeAll(async () => {
    [gateway, browser, phone] = await Promise.all([
      Gateway.start({ env: TRUNKS_ON_LOOPBACK }),
      launchChromium({ hasMicrophone: true }),
      Baresip.start({ user: 'phone' }),
    ]);
    visit = await DashboardVisit.first(gateway, browser);
  });
  afterAll(async () => {
    await browser?.close();
    await phone?.stop();
    await gateway?.stop();
  });

  it('connects a trunk and a number, makes a key, and hears a telephone that calls', async () => {
    const { page } = visit;
    const steps = page.locator('section', { hasText: 'First steps' });
    await steps.waitFor();
    await look('first-steps');
    await page.getByRole('link', { name: 'Connect a platform' }).click();
    await page.getByRole('link', { name: 'Phone (SIP)' }).click();
    await page.getByLabel('Server').fill('127.0.0.1');
    await page.getByLabel('Port', { exact: true }).fill(`${phone.sipPort}`);
    await page.getByLabel('User name').fill('trunk');
    await page.getByLabel('Password').fill('a secret of the trunk');
    await page.getByText('More settings').click();
    await page.getByLabel('Register').uncheck();
    await page.getByRole('button', { name: 'Connect trunk' }).click();
    await page.getByText('Without registration').waitFor();
    await page.getByLabel('Number', { exact: true }).fill(NUMBER);
    await page.getByLabel('Answer at once').last().check();
    await page.getByRole('button', { name: 'Add a number' }).click();
    await page.getByText(NUMBER, { exact: true }).waitFor();
    await page.getByText('Address for incoming calls').click();
    const address = await page.getByRole('region', { name: 'Address for incoming calls' }).textContent();
    expect(await accessFaults(page)).toEqual([]);

    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByLabel('Name of a new key').first().fill('my agent');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const key = (await page.getByRole('region', { name: 'The new key' }).textContent())!;
    gateway.secrets.add(key);
    await look('new-key');
    await page.keyboard.press('Escape');
    expect((await gateway.api(key).get('/api/account')).status).toBe(200);

    await page.getByRole('link', { name: 'Home' }).click();
    await steps.getByText('done').nth(1).waitFor();
    await phone.dial(address!.replace('@', `.${NUMBER}@`));
    await phone.waitFor('CALL_ESTABLISHED');
    await page.getByText('Active', { exact: true }).waitFor();
    await steps.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: /phone/ }).first().click();
    await page.getByRole('button', { name: 'Listen in' }).click();
    const level = page.getByRole('meter', { name: 'Level of what you hear' });
    await waitFor('the telephone to be heard in the browser', async () => {
      return Number(await level.getAttribute('value')) > 0.3;
    });
    await look('call');
    expect(visit.complaints).toEqual([]);
  }, 120_000);

  it('is good to look at', async () => {
    const { page } = visit;
    const { agents } = await visit.request('GET', '/api/agents');
    const [{ id }] = agents;
    const pages = ['', 'calls', 'inbox', 'platforms', 'agents', 'voice', 'keys', 'account', 'operator'];
    const others = ['platforms/sip', 'platforms/telegram', 'platforms/nctalk', '../docs'];
    const tabs = ['members', 'provider', 'settings'].map((tab) => `agents/${id}/${tab}`);
    for (const path of [...pages, ...others, ...tabs]) {
      await visit.open(`/${path}`);
      await look(path.replace('../', '').replaceAll('/', '-').replace(id, 'one') || 'home');
    }
    expect(page.url()).toContain(id);
  }, 240_000);

  it('ends the call when the telephone hangs up', async () => {
    const { page } = visit;
    await visit.open('/calls');
    await phone.hangUp();
    await page.getByText('No call right now').waitFor();
    await page.getByRole('link', { name: /phone/ }).first().click();
    await page.getByText('This call is over.').waitFor();
    expect(await accessFaults(page)).toEqual([]);
  });

  async function look(name: string): Promise<void> {
    await lookAt(visit.page, name, PICTURES);
  }
});
