import type { Browser, WebSocketRoute } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { launchChromium } from '../support/chromium.ts';
import { DashboardVisit } from '../support/dashboard.ts';
import { Gateway } from '../support/gateway.ts';
import { HOSTILE_TEXTS } from '../support/hostile-texts.ts';
import { requirePeer } from '../support/require-peer.ts';
import { SipProbe } from '../support/sip-probe.ts';
import { waitFor } from '../support/wait-for.ts';

/** What breaks the grammar of SIP is dropped. */
const NO_ANSWER = 0;
const NUMBER = '+33123456789';

describe.skipIf(requirePeer('chromium'))('what callers and meetings write, on the dashboard', () => {
  let gateway: Gateway;
  let browser: Browser;
  let visit: DashboardVisit;
  let probe: SipProbe;
  let uri: string;

  beforeAll(async () => {
    const env = { SVC_SIP_TRUNK_ALLOW: '127.0.0.0/8', SVC_MAX_CALLS_PER_ACCOUNT: '100' };
    [gateway, browser] = await Promise.all([Gateway.start({ env }), launchChromium()]);
    probe = await SipProbe.start({ host: '127.0.0.1', port: gateway.sipPort });
    visit = await DashboardVisit.first(gateway, browser);
    await gateway.putTrunk({ host: '127.0.0.1', port: probe.port, register: false });
    await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER });
    const { body } = await gateway.settingsApi.get('/api/sip/trunk');
    uri = (body.inbound_uri as string).replace('@', `.${NUMBER}@`);
  });
  afterAll(async () => {
    await browser?.close();
    await probe?.stop();
    await gateway?.stop();
  });

  /** A telephone whose user name and display name are this text, as nearly as SIP can say it. */
  async function call(text: string, at: number): Promise<number> {
    const callId = `hostile-${at}`;
    const user = encodeURIComponent(text).replace(/[()']/g, escape);
    const name = text.replace(/["\\]/g, '\\$&');
    const invite = probe
      .compose({ method: 'INVITE', uri, callId, body: probe.offer() })
      .replace(/^From: .*$/m, `From: "${name}" <sip:${user}@127.0.0.1:${probe.port}>;tag=probe${at}`);
    const answers = [180, 4, 5, 6].map((status) => probe.waitForStatus(callId, status, 1_000));
    probe.sendRaw(Buffer.from(invite, 'utf8'));
    return await Promise.any(answers).then(
      ({ status }) => status,
      () => NO_ANSWER,
    );
  }

  it('is text in the list of calls that ring', async () => {
    await visit.open('/calls');
    const statuses: number[] = [];
    for (const [at, text] of HOSTILE_TEXTS.entries()) statuses.push(await call(text, at));
    console.log(`answers to callers with such names: ${statuses}`);
    const { calls } = (await gateway.agentApi.get('/api/calls')).body;
    const callers = calls.map(({ caller }: { caller: string }) => caller);
    expect(callers.filter((each: string) => HOSTILE_TEXTS.includes(each)).length).toBeGreaterThan(30);
    await visit.page.getByText(callers.at(-1), { exact: true }).first().waitFor({ state: 'attached' });
    await visit.expectLiteral(callers);
  });

  it('is text in a live call: who takes part, what is said and written, and what fails', async () => {
    const { page } = visit;
    const { body } = await gateway.agentApi.get('/api/calls');
    const { call_id: id } = body.calls[0];
    const sockets: WebSocketRoute[] = [];
    await page.routeWebSocket(/\/api\/call\/.*\/stream$/, (socket) => {
      sockets.push(socket);
      socket.connectToServer();
    });
    await page.route(`**/api/call/${id}`, async (route) => {
      const answer = await route.fetch();
      const participants = HOSTILE_TEXTS.map((name, at) => ({ id: `${at}`, name, is_bot: false }));
      const transcript = HOSTILE_TEXTS.map((text) => `[${text}] ${text}`);
      const status = { ...(await answer.json()), participants, transcript, waiting_reason: HOSTILE_TEXTS[0] };
      await route.fulfill({ response: answer, json: status });
    });
    await visit.open(`/calls/${id}`);
    await waitFor('the page to follow the call', () => sockets.length > 0);
    for (const [at, text] of HOSTILE_TEXTS.entries()) {
      const events = [
        { type: 'call_chat', sender: text, text, sent_at: new Date().toISOString() },
        { type: 'call_transcript', speaker: text, text, is_final: at % 2 === 0 },
        { type: 'call_speaking', voice_id: at, participant_id: `${at}`, name: text, speaking: true },
        { type: 'call_error', message: text, code: 'speech_failed' },
        { type: 'utterance', utterance_id: text, state: 'finished', played_ms: 1, spoken_text: text },
        { type: 'dtmf', digit: text },
      ];
      for (const event of events) sockets[0]!.send(JSON.stringify(event));
    }
    await page
      .getByText(`finished: ${HOSTILE_TEXTS.at(-1)}`)
      .first()
      .waitFor();
    await visit.expectLiteral(HOSTILE_TEXTS);
    expect(await page.locator('.transcript .call_chat').count()).toBe(HOSTILE_TEXTS.length);
  });

  it('is text in the history of those calls', async () => {
    const { body } = await gateway.agentApi.get('/api/calls');
    for (const each of body.calls) await gateway.agentApi.post(`/api/call/${each.call_id}/refuse`, {});
    await visit.open('/calls');
    await visit.page.getByText('No call right now').waitFor();
    const caller = body.calls[0].caller as string;
    await visit.page.getByText(caller, { exact: true }).first().waitFor({ state: 'attached' });
    await visit.expectLiteral(body.calls.map((each: { caller: string }) => each.caller));
  });
});
