import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { HostileRows, LONGEST_NAME } from '../support/hostile-rows.ts';
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { requirePeer } from '../support/require-peer.ts';

const QUIET_CONVERSATIONS = 10_000;
const CONVERSATION = '.rows a[href*="/inbox/"]';
const NAMES = HOSTILE_TEXTS.map((text) => text.slice(0, LONGEST_NAME));

describe.skipIf(requirePeer('chromium'))('what others write, on the dashboard', () => {
  let gateway: Gateway;
  let browser: Browser;
  let visit: DashboardVisit;
  let agentId: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads the fields it needs
  let withFiles: any[] = [];

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([Gateway.start(), launchChromium()]);
    visit = await DashboardVisit.first(gateway, browser);
    const { agents } = await visit.request('GET', '/api/agents');
    agentId = agents[0].id;
    const { id: otherAgentId } = await visit.request('POST', '/api/agents', { name: 'Another' });
    for (const name of NAMES.slice(0, 20)) await visit.request('POST', '/api/api-keys', { name });
    for (const [at, name] of HOSTILE_TEXTS.entries()) {
      const file = {
        name,
        mime: at % 2 ? 'image/png' : 'text/html',
        bytes_b64: Buffer.from(name).toString('base64'),
      };
      const to = { platform: 'agent', peer: otherAgentId, task: `files ${at}`, text: name };
      const { body, status } = await gateway.agentApi.post('/api/dm/chat', { ...to, attachments: [file] });
      expect([status, body.detail]).toEqual([expect.any(Number), undefined]);
    }
    withFiles = (await visit.request('GET', '/api/inbox?limit=200&status=all')).conversations;
    const { body } = await gateway.settingsApi.post('/api/sip/dids', { number: '+33123456789' });
    const owner = { agentId, numberId: body.did_id as string };
    await gateway.restart(() => new HostileRows(gateway.dataFolder, owner).write(QUIET_CONVERSATIONS));
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  const rows = [
    ['', CONVERSATION, NAMES.slice(-1)],
    ['/calls', '.rows', HOSTILE_TEXTS],
    ['/inbox', CONVERSATION, HOSTILE_TEXTS],
    ['/agents', '.cards', NAMES],
    [`/agents/OWN/members`, '.card', []],
    [`/agents/OWN/deliveries`, '.rows', HOSTILE_TEXTS],
    ['/voice', '.rows', NAMES],
    ['/keys', '.rows', NAMES.slice(0, 20)],
    ['/account', '.rows', HOSTILE_TEXTS.slice(-20)],
    ['/operator', '.rows', HOSTILE_TEXTS.slice(-20)],
  ] as const;

  it.each(rows)('is text in the lists of "%s"', async (path, place, texts) => {
    await visit.open(path.replace('OWN', agentId));
    await visit.page.locator(place).first().waitFor();
    await visit.page
      .getByText(texts.at(-1) ?? 'Default', { exact: true })
      .first()
      .waitFor({ state: 'attached' });
    await visit.expectLiteral(texts);
  });

  it('is text in each conversation and in each call', async () => {
    for (const [at, text] of HOSTILE_TEXTS.entries()) {
      for (const path of [`/inbox/con_${at}`, `/calls/call_${at}`]) {
        await visit.open(path);
        await visit.page.locator('main').getByText(text, { exact: true }).first().waitFor();
        await visit.expectLiteral([text]);
      }
    }
  });

  it('is text where it names a file, which opens no page of this origin', async () => {
    expect(withFiles.length).toBe(HOSTILE_TEXTS.length);
    for (const { conversation_id: id, preview } of withFiles) {
      await visit.open(`/inbox/${id}`);
      const file = visit.page.locator('.file').first();
      await file.waitFor();
      const name = preview.attachments[0].name as string;
      const [shown, saved] = [await file.innerHTML(), await file.getAttribute('download')];
      expect(saved).toBe(name);
      expect(shown).not.toMatch(/<(?!img class|img src="http)/);
      await visit.expectLiteral([preview.text]);
      const { headers } = await fetch((await file.getAttribute('href'))!);
      expect(headers.get('content-security-policy') ?? headers.get('content-disposition')).toMatch(
        /sandbox|attachment/,
      );
    }
  });

  it('is text in what a model was asked, and in what it did', async () => {
    await visit.open(`/agents/${agentId}/deliveries`);
    for (const text of HOSTILE_TEXTS.slice(0, 10)) {
      await visit.page.getByRole('button', { name: text, exact: true }).click();
      await visit.page.getByRole('region', { name: 'The reply' }).getByText(text, { exact: true }).waitFor();
      await visit.expectLiteral([text]);
      await visit.page.keyboard.press('Escape');
    }
  });

  it('is text in what platforms answer', async () => {
    const { page } = visit;
    await page.route('**/api/platforms', async (route) => {
      const answer = await route.fetch();
      const { platforms } = (await answer.json()) as { platforms: Record<string, unknown>[] };
      const accounts = HOSTILE_TEXTS.map((text, at) => {
        return { type: 'connection', id: `${at}`, label: text, status: text, agent_id: null };
      });
      const ways = HOSTILE_TEXTS.map((text) => ({ name: text, needs: text }));
      const changed = platforms.map((each) => ({ ...each, accounts, ways, setup: HOSTILE_TEXTS[0] }));
      await route.fulfill({ response: answer, json: { platforms: changed } });
    });
    for (const path of ['/platforms', '/platforms/telegram', '/platforms/teams', '']) {
      await visit.open(path);
      await visit.expectLiteral(path.length > 10 ? HOSTILE_TEXTS : []);
    }
    for (const text of HOSTILE_TEXTS) {
      await page.route('**/test-dm', (route) =>
        route.fulfill({ status: 502, json: { detail: text, code: 'send_failed', suggestion: text } }),
      );
      if (!page.url().endsWith('/telegram')) await visit.open('/platforms/telegram');
      await page.getByRole('button', { name: 'Send me a test message' }).click();
      await page.getByRole('alert').getByText(text, { exact: true }).first().waitFor();
      await visit.expectLiteral([text]);
      await page.unroute('**/test-dm');
    }
    await page.unroute('**/api/platforms');
  });

  it('is found among 10,000 conversations at once', async () => {
    const startedMs = performance.now();
    await visit.page.goto(`${gateway.baseUrl}/dashboard/inbox`);
    await visit.page.locator(CONVERSATION).nth(20).waitFor();
    const tookMs = performance.now() - startedMs;
    console.log(
      `the first page of ${QUIET_CONVERSATIONS} conversations: ${tookMs.toFixed(0)} ms (wanted: 1000)`,
    );
    expect(tookMs).toBeLessThan(3_000);
  });

  it('cannot be changed by a page of another site, with any form', async () => {
    await visit.open('');
    const before = JSON.stringify(await visit.request('GET', '/api/api-keys'));
    const stranger = await visit.context.newPage();
    // `localhost` is another site than 127.0.0.1, and the same gateway gives the page.
    await stranger.goto(`${gateway.baseUrl.replace('127.0.0.1', 'localhost')}/healthz`).catch(() => {});
    for (const [method, path] of [
      ['POST', '/api/api-keys'],
      ['POST', '/auth/logout'],
      ['POST', '/api/agents'],
      ['POST', '/api/change-password'],
      ['DELETE', '/api/account'],
    ]) {
      const init = {
        method,
        credentials: 'include',
        mode: 'no-cors',
        body: '{"name":"stolen","confirm":"DELETE"}',
      };
      const sent = `fetch(${JSON.stringify(gateway.baseUrl + path)}, ${JSON.stringify(init)}).catch(() => {}).then(() => 0)`;
      await stranger.evaluate(sent);
    }
    await stranger.close();
    expect(JSON.stringify(await visit.request('GET', '/api/api-keys'))).toBe(before);
  });
});
