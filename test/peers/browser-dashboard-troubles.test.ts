import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor } from '../support/wait-for.ts';

const LOOK = { width: 1280, isDark: false };

/** What people have reported of dashboards of this kind. */
describe.skipIf(requirePeer('chromium'))('the dashboard in trouble', () => {
  let gateway: Gateway;
  let browser: Browser;
  let first: DashboardVisit;
  let agentId: string;
  let otherId: string;

  beforeAll(async () => {
    [gateway, browser] = await Promise.all([Gateway.start(), launchChromium()]);
    first = await DashboardVisit.first(gateway, browser);
    agentId = (await first.request('GET', '/api/agents')).agents[0].id;
    otherId = (await first.request('POST', '/api/agents', { name: 'Another' })).id;
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.stop();
  });

  async function write(text: string): Promise<string> {
    const to = { platform: 'agent', peer: otherId, task: 'talk' };
    const { status } = await gateway.agentApi.post('/api/dm/chat', { ...to, text });
    expect(status).toBe(200);
    const { body } = await gateway.agentApi.get('/api/inbox');
    return body.conversations[0].conversation_id as string;
  }

  it('copies without HTTPS, also out of a dialog', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    await page.addInitScript(`
      Object.defineProperty(window, 'isSecureContext', { value: false });
      Object.defineProperty(navigator, 'clipboard', { value: undefined });
    `);
    await visit.open('/keys');
    await page.getByLabel('Name of a new key').first().fill('copied');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    const key = (await page.getByRole('region', { name: 'The new key' }).textContent())!;
    gateway.secrets.add(key);
    await page.getByRole('dialog').getByRole('button', { name: 'Copy' }).first().click();
    await page.getByRole('dialog').getByText('Copied', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByLabel('Name of a new key').first().click();
    await page.keyboard.press('Control+V');
    expect(await page.getByLabel('Name of a new key').first().inputValue()).toBe(key);
    await visit.open(`/agents/${agentId}/members`);
    await page.getByRole('button', { name: 'Talk to this agent' }).click();
    await page.getByText('only to pages with HTTPS').waitFor();
    await visit.close();
  });

  it('lets go of a microphone that is allowed when the call is over', async () => {
    const listening = await launchChromium({ hasMicrophone: true });
    const visit = await first.again(listening, LOOK);
    const { page } = visit;
    await page.addInitScript(`
      const { mediaDevices } = navigator;
      const ask = mediaDevices.getUserMedia.bind(mediaDevices);
      mediaDevices.getUserMedia = (wanted) => new Promise((resolve) => {
        window.allow = () => ask(wanted).then((stream) => {
          window.tracks = stream.getTracks();
          resolve(stream);
        });
      });
    `);
    const url = `${gateway.baseUrl.replace('http', 'ws')}/api/agents/${agentId}/talk`;
    const caller = await Agent.connect(url, gateway.agentKey, 16_000);
    const { call_id: id } = await caller.waitFor('ringing');
    await gateway.agentApi.post(`/api/call/${id}/accept`, {});
    await visit.open(`/calls/${id}`);
    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    await waitFor('the browser to ask', () => page.evaluate('window.allow !== undefined'));
    await caller.close();
    await page.getByText('This call is over.').waitFor();
    await page.evaluate('window.allow()');
    const states = (): Promise<string> =>
      page.evaluate('window.tracks.map((each) => each.readyState).join()');
    await waitFor('the microphone to be let go of', async () => (await states()) === 'ended');
    expect(visit.complaints).toEqual([]);
    await listening.close();
  });

  it('goes on while the browser translates its texts', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    await visit.open('/calls');
    await page.evaluate(`(() => {
      const texts = document.createTreeWalker(document.querySelector('#app'), NodeFilter.SHOW_TEXT);
      const all = [];
      while (texts.nextNode()) all.push(texts.currentNode);
      for (const text of all) {
        const font = document.createElement('font');
        text.replaceWith(font);
        font.append(text);
      }
    })()`);
    await page.getByRole('link', { name: 'Keys' }).click();
    await page.getByRole('heading', { name: 'Agent keys' }).waitFor();
    await page.getByRole('link', { name: 'Calls' }).click();
    await page.getByText('No call right now').waitFor();
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('shows what it has at addresses that were cut or made up', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    for (const path of ['inbox/%25', 'agents/none/none', 'platforms/__proto__', 'calls/..%2f..', 'nowhere']) {
      await page.goto(`${gateway.baseUrl}/dashboard/${path}`);
      await page.getByRole('link', { name: 'Keys' }).waitFor();
    }
    expect(visit.complaints).toEqual([]);
    await visit.close();
  });

  it('says why there is no microphone', async () => {
    const visit = await first.again(browser, LOOK);
    await visit.open(`/agents/${agentId}/members`);
    await visit.page.getByRole('button', { name: 'Talk to this agent' }).click();
    await visit.page.getByText(/does not allow the microphone|has no microphone/).waitFor();
    expect((await gateway.agentApi.get('/api/calls')).body.calls).toEqual([]);
    await visit.close();
  });

  it('misses nothing that happens before its WebSocket is open', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    let connect: (() => void) | null = null;
    await page.routeWebSocket(/\/api\/inbox\/stream/, (socket) => {
      connect = () => socket.connectToServer();
    });
    await visit.open('/inbox');
    await page.getByText('No conversation yet').waitFor();
    await write('written meanwhile');
    (await waitFor('the WebSocket to be asked for', () => connect))();
    await page.getByText('written meanwhile').waitFor();
    await visit.close();
  });

  it('leaves whoever reads older messages where they are, and shows the newest to all others', async () => {
    let id = '';
    for (let at = 0; at < 40; at++) id = await write(`message ${at}, which is long enough to be read`);
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    await visit.open(`/inbox/${id}`);
    const messages = page.locator('.bubbles');
    const inList = (script: string): Promise<number> =>
      page.evaluate(
        `(({ scrollTop, scrollHeight, clientHeight }) => ${script})(document.querySelector('.bubbles'))`,
      );
    const left = (): Promise<number> => inList('scrollHeight - scrollTop - clientHeight');
    await messages.waitFor();
    await waitFor('the newest to be seen', async () => (await left()) < 8);
    await write('seen at once');
    await messages.getByText('seen at once').waitFor();
    await waitFor('the newest to be seen', async () => (await left()) < 8);
    await page.setViewportSize({ width: LOOK.width, height: 600 });
    await waitFor('the newest to be seen above a keyboard', async () => (await left()) < 8);
    await page.evaluate("document.querySelector('.bubbles').scrollTop = 100");
    await waitFor('the end to be out of sight', async () => (await left()) > 100);
    await page.evaluate('new Promise((done) => setTimeout(done, 200))');
    await write('not seen at once');
    await messages.getByText('not seen at once').waitFor({ state: 'attached' });
    expect(await inList('scrollTop')).toBe(100);
    await visit.close();
  });

  it('knows how long a call has lasted although its clock is wrong', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    await page.addInitScript('const { now } = Date; Date.now = () => now.call(Date) + 600_000;');
    await visit.open('/calls');
    await page.getByText('No call right now').waitFor();
    const url = `${gateway.baseUrl.replace('http', 'ws')}/api/agents/${agentId}/talk`;
    const caller = await Agent.connect(url, gateway.agentKey, 16_000);
    await page.getByText('Ringing').waitFor();
    const live = page.locator('section', { hasText: 'Live calls' });
    await live.getByText(/^0:0\d$/).waitFor();
    await caller.close();
    await visit.close();
  });

  it('lets the browser save the whole account', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    await visit.open('/account');
    const saving = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export everything' }).click();
    const saved = await saving;
    expect(saved.suggestedFilename()).toBe('account-export.json');
    expect(JSON.parse(readFileSync(await saved.path(), 'utf8'))).toHaveProperty('agents');
    await visit.close();
  });

  it('says that it is out of date when a part of it is gone', async () => {
    const visit = await first.again(browser, LOOK);
    await visit.page.route('**/assets/uPlot*.js', (route) => route.fulfill({ status: 404, body: '' }));
    await visit.open('/account');
    await visit.page.getByText('The gateway was updated').waitFor();
    await visit.close();
  });

  it('leaves the focus where it is while a button works and while lists change', async () => {
    const visit = await first.again(browser, LOOK);
    const { page } = visit;
    const focused = (): Promise<string> => page.evaluate('document.activeElement.textContent');
    await visit.open('/keys');
    await page.getByRole('button', { name: 'Ping' }).focus();
    await page.keyboard.press('Enter');
    await page.getByText('Waiting for answers').waitFor();
    expect(await focused()).toContain('Waiting for answers');
    await visit.open('/calls');
    const search = page.getByLabel('Search callers');
    await search.focus();
    await search.pressSequentially('nobody at all', { delay: 50 });
    await page.getByText('No call that is over').waitFor();
    expect(await search.inputValue()).toBe('nobody at all');
    expect(await page.evaluate('document.activeElement.type')).toBe('search');
    await visit.close();
  });
});
