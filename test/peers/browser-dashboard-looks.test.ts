import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { accessFaults } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit, setupLink } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { lookAt } from '../support/page-look.ts';
import { requirePeer } from '../support/require-peer.ts';

/** Where pictures of the pages are kept, if anywhere. */
const PICTURES = process.env.DASHBOARD_PICTURES;
const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(2).slice(0, 80);
const HEBREW = 'שירות לקוחות (סניף 12): אביגיל';
const ARABIC = 'خدمة العملاء – فرع القاهرة ١٢';
const PARAGRAPH =
  'Could you tell me when the office opens tomorrow, and whether I need an appointment? '.repeat(3);
const WORD = 'https://example.com/'.concat('a'.repeat(300));

describe.skipIf(requirePeer('chromium'))('the looks of the dashboard', () => {
  let gateway: Gateway;
  let browser: Browser;
  let visit: DashboardVisit;
  const agents: string[] = [];
  const open: Agent[] = [];

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([
      Gateway.start({ env: { SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8' } }),
      launchChromium(),
    ]);
  });
  afterAll(async () => {
    for (const agent of open) await agent.close();
    await browser?.close();
    await gateway?.stop();
  });

  /** No wider than its window, without findings of axe-core; and as it is on a picture. */
  async function look(name: string): Promise<void> {
    await lookAt(visit.page, name, PICTURES);
    expect([name, await accessFaults(visit.page)]).toEqual([name, []]);
  }

  it('is good before anybody has signed in', async () => {
    const page = await browser.newPage();
    await page.goto(await setupLink(gateway));
    await page.getByRole('button', { name: 'Begin' }).waitFor();
    await lookAt(page, 'gate-setup', PICTURES);
    expect(await accessFaults(page)).toEqual([]);
    await page.goto(`${gateway.baseUrl}/dashboard`);
    await page.getByLabel('Email address').fill('nobody@example.com');
    await page.getByLabel('Password').fill('a wrong password');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Invalid email or password').waitFor();
    await lookAt(page, 'gate-refused', PICTURES);
    expect(await accessFaults(page)).toEqual([]);
    await page.close();
  });

  it('is good while there is nothing', async () => {
    visit = await DashboardVisit.first(gateway, browser);
    agents.push((await visit.request('GET', '/api/agents')).agents[0].id);
    const tabs = ['members', 'provider', 'deliveries', 'settings'].map((tab) => `agents/${agents[0]}/${tab}`);
    const pages = ['', 'calls', 'inbox', 'platforms', 'agents', 'voice', 'keys', 'account', 'operator'];
    for (const path of [...pages, 'platforms/sip', 'platforms/whatsapp', 'platforms/zoom', ...tabs]) {
      await visit.open(`/${path}`);
      await look(`empty-${path.replaceAll('/', '-').replace(agents[0]!, 'one') || 'home'}`);
    }
  }, 300_000);

  it('is good with dialogs and errors', async () => {
    const { page } = visit;
    await visit.open('/calls');
    await page.getByRole('button', { name: 'Place a call' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('More settings').click();
    await dialog.getByLabel('Number, SIP address').fill(LONG);
    await dialog.getByRole('button', { name: 'Place a call' }).click();
    await dialog.getByRole('alert').waitFor();
    await look('dialog-place-a-call');
    await visit.open('/keys');
    await page.getByLabel('Name of a new key').first().fill(LONG);
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const key = await page.getByRole('region', { name: 'The new key' }).textContent();
    gateway.secrets.add(key!);
    await look('dialog-new-key');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Revoke' }).first().click();
    await look('dialog-revoke');
    await page.keyboard.press('Escape');
    await visit.open('/voice');
    await page.getByRole('button', { name: 'Add' }).last().click();
    await look('dialog-preset');
    await page.keyboard.press('Escape');
    await visit.open('/platforms/sip');
    await page.getByLabel('Number', { exact: true }).fill('nonsense');
    await page.getByRole('button', { name: 'Add a number' }).click();
    await page.getByRole('alert').first().waitFor();
    await look('error-number');
    await visit.open('/account');
    await page.getByRole('button', { name: 'Delete the account' }).click();
    await look('dialog-delete');
    await page.keyboard.press('Escape');
    await visit.open('/platforms/telegram');
    await page.getByLabel('Bot token').fill('1:nonsense');
    await page.getByRole('button', { name: 'Add bot' }).click();
    await page.getByRole('alert').first().waitFor();
    await look('error-bot');
    await visit.open('/platforms/nctalk');
    await look('nextcloud');
    await visit.open('/platforms?error=nctalk_bot_creation_failed');
    await page.getByText('could not make the bot').waitFor();
    await look('error-nextcloud');
  }, 300_000);

  it('is good with long names and such of both directions', async () => {
    const { page } = visit;
    for (const name of [LONG, HEBREW, ARABIC, 'Front desk']) {
      agents.push((await visit.request('POST', '/api/agents', { name })).id);
      await visit.request('POST', '/api/api-keys', { name });
      await visit.request('POST', '/api/voice-configs', { kind: 'tts', provider: 'local', name });
    }
    for (const [at, peer] of agents.slice(1).entries()) {
      for (const text of [PARAGRAPH, ARABIC, HEBREW, WORD, 'Thank you!', `one\ntwo\n\nthree`]) {
        const attachments =
          text === HEBREW ? [{ name: `${LONG}.txt`, mime: 'text/plain', bytes_b64: 'aGVsbG8=' }] : [];
        const to = { platform: 'agent', peer, task: `${at}` };
        const { status, body } = await gateway.agentApi.post('/api/dm/chat', { ...to, text, attachments });
        expect([status < 300, body]).toEqual([true, expect.anything()]);
      }
    }
    const url = gateway.baseUrl.replace('http', 'ws');
    for (let count = 0; count < 3; count++)
      open.push(await Agent.connect(`${url}/api/agents/${agents[0]}/talk`, gateway.agentKey, 16_000));
    for (const agent of open) await agent.waitFor('ringing');
    const { calls } = (await gateway.agentApi.get('/api/calls')).body;
    await gateway.agentApi.post(`/api/call/${calls[0].call_id}/accept`, {});
    await visit.request('PUT', '/api/sip/trunk', {
      host: '127.0.0.1',
      port: 9,
      username: 'u'.repeat(60),
      password: 'x',
    });
    await visit.request('POST', '/api/sip/dids', { number: '+33123456789', label: ARABIC });

    const { conversations } = await visit.request('GET', '/api/inbox?status=all');
    const pages = ['', 'calls', 'inbox', 'agents', 'voice', 'keys', 'platforms', 'platforms/sip', 'account'];
    const one = ['members', 'provider', 'settings'].map((tab) => `agents/${agents[1]}/${tab}`);
    const written = conversations.map((each: { conversation_id: string }) => `inbox/${each.conversation_id}`);
    const live = calls.slice(0, 2).map((call: { call_id: string }) => `calls/${call.call_id}`);
    let number = 0;
    for (const path of [...pages, ...one, ...written, ...live, 'operator']) {
      await visit.open(`/${path}`);
      if (path.startsWith('calls/'))
        await page
          .getByText(/Ringing|Active/)
          .first()
          .waitFor();
      number += 1;
      await look(`full-${path.replace(/\w+_[\w-]+/, `${number}`).replaceAll('/', '-') || 'home'}`);
    }
  }, 300_000);

  it('is good in the reference of the API', async () => {
    const { page } = visit;
    await page.goto(`${gateway.baseUrl}/docs`);
    await page.getByLabel('Find an endpoint').fill('/api/call');
    await page.getByText('POST /api/call', { exact: true }).click();
    await page.getByText('Body', { exact: true }).first().click();
    await page.getByText('Try it').first().click();
    await page.getByRole('button', { name: 'Send' }).first().click();
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    await look('docs');
  }, 120_000);

  it('is good while the gateway is away', async () => {
    await visit.open('/calls');
    await gateway.restart(async () => {
      await visit.page.getByText('No connection to the gateway').waitFor();
      await look('away');
    });
    await visit.page.getByText('No connection to the gateway').waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  }, 120_000);
});
