import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { accessFaults } from '../support/axe.ts';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit } from '../support/dashboard.ts';
import { launchFirefox } from '../support/firefox.ts';
import { GatewayPair } from '../support/gateway-pair.ts';
import { peakDbfs } from '../support/levels.ts';
import { requirePeer } from '../support/require-peer.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const TONE_HZ = 440;

describe.skipIf(requirePeer('chromium', 'firefox-esr', 'pulseaudio')).each([
  ['Chromium', () => launchChromium({ hasMicrophone: true })],
  ['Firefox', launchFirefox],
] as const)('the dashboard in %s', (name, launch) => {
  let pair: GatewayPair;
  let browser: Browser;
  let visit: DashboardVisit;

  beforeAll(async () => {
    [pair, browser] = await Promise.all([GatewayPair.start(), launch()]);
    visit = await DashboardVisit.first(pair.caller, browser);
    await visit.request('POST', '/api/voice-configs', { kind: 'tts', provider: 'local' });
  });
  afterAll(async () => {
    await browser?.close();
    await pair?.stop();
  });

  it('places a call, hears it, speaks and writes in it, and hangs up', async () => {
    const number = await pair.listNumber(true);
    const { page } = visit;
    await visit.open('/calls');
    await page.getByRole('button', { name: 'Place a call' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Number, SIP address').fill(pair.uriOf(number));
    await dialog.getByRole('button', { name: 'Place a call' }).click();
    await page.getByText('Active', { exact: true }).waitFor();

    const [inbound] = (await pair.callee.agentApi.get('/api/calls')).body.calls;
    const phone = await Agent.join(inbound.audio.stream_url, pair.callee.agentKey, { sampleRateHz: 8_000 });
    const speech = streamTone(phone, TONE_HZ, 200);
    await page.getByRole('button', { name: 'Listen in' }).click();
    const level = page.getByRole('meter', { name: 'Level of what you hear' });
    await waitFor('the tone to be heard in the browser', async () => {
      return Number(await level.getAttribute('value')) > 0.3;
    });
    speech.stop();

    await page.getByRole('button', { name: 'Speak', exact: true }).click();
    await page.getByRole('button', { name: 'Stop speaking' }).waitFor();
    await waitFor('the microphone to be heard on the phone', () => {
      return phone.heard.slice(-50).some(({ samples }) => peakDbfs(samples) > -40);
    });
    await waitFor('the own voice not to be heard here', async () => {
      return Number(await level.getAttribute('value')) < 0.05;
    });
    await page.getByRole('button', { name: 'Stop speaking' }).click();

    await page.getByLabel('Text that the call').fill('Hello');
    await page.getByRole('button', { name: 'Say' }).click();
    await page.getByText('finished: Hello').waitFor();
    await page.getByText('Keypad').click();
    await page.getByRole('button', { name: '5', exact: true }).click();
    await waitFor('the key to arrive', () => phone.events.some(({ type }) => type === 'dtmf'));
    expect(await accessFaults(page)).toEqual([]);

    await page.getByRole('button', { name: 'Hang up' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Hang up' }).click();
    await page.getByText('This call is over.').waitFor();
    await phone.closed;
    await visit.open('/calls');
    await page.getByLabel('Search callers').fill(number);
    await page.getByRole('link', { name: number }).click();
    await page.getByText(/^completed: /).waitFor();
    await page.getByText('Answered after').first().waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('calls an agent from the browser, which hears it, and hangs up', async () => {
    const { page } = visit;
    const { agents } = await visit.request('GET', '/api/agents');
    await visit.open(`/agents/${agents[0].id}/members`);
    await page.getByRole('button', { name: 'Talk to this agent' }).click();
    await page.getByText('Ringing').first().waitFor();
    const [ringing] = (await pair.caller.agentApi.get('/api/calls')).body.calls;
    expect(ringing).toMatchObject({ platform: 'sip', caller: 'browser', state: 'ringing' });
    await pair.caller.agentApi.post(`/api/call/${ringing.call_id}/accept`, {});
    const agent = await Agent.join(ringing.audio.stream_url, pair.caller.agentKey, { sampleRateHz: 16_000 });
    await waitFor('the microphone to be heard by the agent', () => {
      return agent.heard.slice(-50).some(({ samples }) => peakDbfs(samples) > -40);
    });
    const speech = streamTone(agent, TONE_HZ, 200);
    const level = page.getByRole('region', { name: 'Your call' }).getByRole('meter');
    await waitFor('the tone to be heard in the browser', async () => {
      return Number(await level.getAttribute('value')) > 0.3;
    });
    speech.stop();
    expect(await accessFaults(page)).toEqual([]);
    // It goes on while pages change.
    await page.getByRole('link', { name: 'Inbox' }).click();
    const bar = page.getByRole('region', { name: 'Your call' });
    await bar.getByRole('button', { name: 'Hang up' }).click();
    await agent.closed;
    await bar.waitFor({ state: 'detached' });
    expect(visit.complaints).toEqual([]);
  });

  it('shows the reference of the API, and tries an endpoint', async () => {
    const { page } = visit;
    await page.goto(`${pair.caller.baseUrl}/docs`);
    await page.getByLabel('Find an endpoint').fill('/api/account');
    await page.getByText('Get the account: platforms, features, limits').click();
    await page.getByText('Try it').click();
    await page.getByRole('button', { name: 'Send' }).click();
    await page.getByRole('region', { name: 'Answer' }).getByText('"account_id"').waitFor();
    expect(await accessFaults(page)).toEqual([]);
    expect(visit.complaints).toEqual([]);
  });

  it('accepts a call that rings', async () => {
    const { page } = visit;
    const called = await DashboardVisit.first(pair.callee, browser);
    await called.open('/calls');
    const { outbound } = await pair.ring();
    await called.page.getByRole('button', { name: 'Accept' }).click();
    await called.page.getByText('Active', { exact: true }).waitFor();
    await visit.open(`/calls/${outbound.call_id}`);
    await page.getByText('Active', { exact: true }).waitFor();
    await called.close();
  });

  it('tells that the gateway is away, and goes on without a reload when it is back', async () => {
    const { page } = visit;
    await visit.open('/keys');
    await page.evaluate('window.isSame = true');
    await pair.caller.restart(() => page.getByText('No connection to the gateway').waitFor());
    await page.getByText('No connection to the gateway').waitFor({ state: 'detached' });
    await page.getByLabel('Name of a new key').first().fill('made after the restart');
    await page.getByRole('button', { name: 'Create key' }).first().click();
    await page.getByRole('region', { name: 'The new key' }).waitFor();
    expect(await page.evaluate('window.isSame')).toBe(true);
  });

  it.skipIf(name === 'Firefox').each([
    { width: 1280, isDark: false },
    { width: 390, isDark: true },
  ])(
    'has no findings of axe-core and no sideways scrolling on any page: $width pixels, dark: $isDark',
    async (look) => {
      const { agents } = await visit.request('GET', '/api/agents');
      const platforms = [
        'discord',
        'teams',
        'meet',
        'zoom',
        'telegram',
        'whatsapp',
        'slack',
        'nctalk',
        'sip',
      ];
      const tabs = ['members', 'provider', 'deliveries', 'settings'];
      const paths = [
        ...[
          '/../docs',
          '',
          '/calls',
          '/inbox',
          '/platforms',
          '/agents',
          '/voice',
          '/keys',
          '/account',
          '/operator',
        ],
        ...platforms.map((name) => `/platforms/${name}`),
        ...tabs.map((tab) => `/agents/${agents[0].id}/${tab}`),
      ];
      const other = await visit.again(browser, look);
      const faults: string[] = [];
      for (const path of paths) {
        await other.open(path);
        for (const fault of await accessFaults(other.page)) faults.push(`${path} ${fault}`);
        const isWide = await other.page.evaluate('document.documentElement.scrollWidth > innerWidth');
        if (isWide) faults.push(`${path} scrolls sideways`);
      }
      expect(faults).toEqual([]);
      expect(other.complaints).toEqual([]);
      await other.close();
    },
  );
});
