import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accessFaults } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit, OPERATOR, setupLink } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { requirePeer } from '../support/require-peer.ts';

/** Of all scripts together, compressed. */
const MOST_SCRIPT_BYTES = 150_000;

describe.skipIf(requirePeer('chromium'))('the dashboard in a browser', () => {
  let gateway: Gateway;
  let browser: Browser;
  let visit: DashboardVisit;
  let link: string;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([Gateway.start(), launchChromium()]);
    link = await setupLink(gateway);
    visit = await DashboardVisit.first(gateway, browser);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('leaves no trace of the link of the first start, which works no more', async () => {
    expect(visit.page.url()).not.toContain('#');
    const token = link.split('#')[1]!;
    const body = JSON.stringify({ token, email: 'mallory@example.com', password: 'mallory mallory' });
    const again = await fetch(`${gateway.baseUrl}/auth/setup`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    expect(again.status).toBe(400);
    expect(await visit.page.evaluate('localStorage.length + sessionStorage.length')).toBe(0);
  });

  it.each(['', '/calls', '/platforms/sip'])(
    'shows %s directly, within its policy and without findings of axe-core',
    async (path) => {
      await visit.open(path);
      expect(await accessFaults(visit.page)).toEqual([]);
      expect(visit.complaints).toEqual([]);
    },
  );

  it('creates a key, which is shown once', async () => {
    await visit.open('/keys');
    await visit.page.getByLabel('Name of a new key').first().fill('<img src=x onerror=alert(1)>');
    await visit.page.getByRole('button', { name: 'Create key' }).first().click();
    const key = await visit.page.getByRole('region', { name: 'The new key' }).textContent();
    expect(key).toMatch(/^svc_/);
    gateway.secrets.add(key!);
    await visit.page.keyboard.press('Escape');
    await visit.page.getByText('<img src=x onerror=alert(1)>').waitFor();
    expect(visit.complaints).toEqual([]);
  });

  it('sets what the model of an agent may do', async () => {
    const { agents } = await visit.request('GET', '/api/agents');
    await visit.open(`/agents/${agents[0].id}/settings`);
    const form = visit.page.locator('section', { hasText: 'What its model may do' });
    await form.getByLabel('Whom it may call').fill('+44 20 *\n\nzoom.us');
    await form.getByLabel('Write to others').check();
    await form.getByRole('button', { name: 'Save' }).click();
    await visit.page.getByText('Saved').waitFor();
    const policy = await visit.request('GET', `/api/agents/${agents[0].id}/policy`);
    const kept = { calls: ['+4420*', 'zoom.us'], new_conversations: true, actions_per_turn: 5 };
    expect(policy).toMatchObject(kept);
    expect(await accessFaults(visit.page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('signs out and in', async () => {
    await visit.open('');
    await visit.page.getByRole('button', { name: 'Sign out' }).click();
    await visit.page.getByLabel('Email address').fill(OPERATOR.email);
    await visit.page.getByLabel('Password').fill('a wrong password');
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByText('Invalid email or password').waitFor();
    expect(await accessFaults(visit.page)).toEqual([]);
    await visit.page.getByLabel('Password').fill(OPERATOR.password);
    await visit.page.getByRole('button', { name: 'Sign in' }).click();
    await visit.page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
  });

  it('is small', async () => {
    const html = await (await fetch(`${gateway.baseUrl}/dashboard`)).text();
    const first = new URL(/src="([^"]+\.js)"/.exec(html)![1]!, `${gateway.baseUrl}/dashboard`);
    const source = await (await fetch(first)).text();
    const others = [...source.matchAll(/"\.\/([\w.-]+\.js)"/g)].map(([, name]) => new URL(name!, first));
    expect(others.length).toBeGreaterThan(0);
    const sizes = [first, ...others].map(async (url) => gzipSync(await (await fetch(url)).text()).length);
    const total = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
    expect(total).toBeLessThan(MOST_SCRIPT_BYTES);
  });
});
