import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { OPERATOR, setupLink } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { requirePeer } from '../support/require-peer.ts';

const MOST_STEPS = 80;
const TRUNKS_ON_LOOPBACK = { SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8' };

describe.skipIf(requirePeer('chromium'))('the dashboard by keyboard alone', () => {
  let gateway: Gateway;
  let browser: Browser;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([Gateway.start({ env: TRUNKS_ON_LOOPBACK }), launchChromium()]);
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  it('goes from the first start to a trunk, a number, a key and a voice', async () => {
    const page = await browser.newPage();
    const { keyboard } = page;
    await page.goto(await setupLink(gateway));

    /** Moves the focus by Tab to what has this name, as somebody does who cannot see the pointer. */
    async function goTo(name: string): Promise<void> {
      for (let step = 0; step < MOST_STEPS; step++) {
        await keyboard.press('Tab');
        const focused = (await page.evaluate(`(() => {
          const { activeElement: at } = document;
          const ring = getComputedStyle(at).outlineStyle !== 'none' || at.type === 'checkbox';
          return [at.labels?.[0]?.textContent ?? at.ariaLabel ?? at.textContent, ring];
        })()`)) as [string, boolean];
        if (!focused[0].trim().startsWith(name)) continue;
        expect(focused[1], `${name} shows that it has the focus`).toBe(true);
        return;
      }
      throw new Error(`${name} cannot be reached`);
    }
    async function fill(name: string, text: string): Promise<void> {
      await goTo(name);
      await keyboard.type(text);
    }
    async function press(name: string): Promise<void> {
      await goTo(name);
      await keyboard.press('Enter');
    }

    await fill('Email address', OPERATOR.email);
    await fill('Password', OPERATOR.password);
    await press('Begin');
    await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
    await press('Connect a platform');
    await page.getByRole('heading', { name: 'Platforms', level: 1 }).waitFor();
    await press('Phone (SIP)');
    await page.getByRole('heading', { name: 'SIP trunk' }).waitFor();
    await fill('Server', '127.0.0.1');
    await fill('User name', 'trunk');
    await fill('Password', 'a secret of the trunk');
    await press('Connect trunk');
    await page.getByText('The trunk was saved').waitFor();
    await fill('Number', '+33123456789');
    await goTo('Answer at once');
    await keyboard.press('Space');
    await press('Add a number');
    await page.getByText('+33123456789', { exact: true }).waitFor();
    await press('Keys');
    await page.getByRole('heading', { name: 'Agent keys' }).waitFor();
    await fill('Name of a new key', 'by keyboard');
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    gateway.secrets.add((await page.getByRole('region', { name: 'The new key' }).textContent())!);
    await keyboard.press('Escape');
    await page.getByText('by keyboard').waitFor();
    await press('Voice');
    await page.getByRole('heading', { name: 'Speech recognition' }).waitFor();
    await press('Add');
    await page.getByRole('dialog').getByLabel('Provider').waitFor();
    await fill('Provider', 'Local');
    await press('Save');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });
});
