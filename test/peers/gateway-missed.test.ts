import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newApiKey } from '../../src/base/ids.ts';
import { type Gateway, startGateway } from '../../src/gateway.ts';
import { loadSettings } from '../../src/settings/settings.ts';
import { openLoggers } from '../../src/telemetry/loggers.ts';
import { Agent } from '../support/agent.ts';
import { Baresip } from '../support/baresip.ts';
import { claimRtpPorts, type PortClaim } from '../support/free-ports.ts';
import { GatewayApi } from '../support/gateway-api.ts';
import { readGatewayRows } from '../support/gateway-database.ts';
import type { ShownCall } from '../support/gateway-pair.ts';
import { requirePeer } from '../support/require-peer.ts';
import { TurnableClock } from '../support/turnable-clock.ts';
import { waitFor } from '../support/wait-for.ts';

const NUMBER = '+33100000001';
const RINGING_MS = 60_000;
/** What a slow machine may take between two looks at the clock. */
const MARGIN_MS = 5_000;
const [AGENT_KEY, SETTINGS_KEY] = [newApiKey(), newApiKey()];

/** In this process, because its clock is turned forward by hand. */
describe.skipIf(requirePeer('baresip'))('an unanswered call from a phone', () => {
  const clock = new TurnableClock();
  const folder = mkdtempSync(join(tmpdir(), 'gateway-'));
  let ports: PortClaim;
  let gateway: Gateway;
  let phone: Baresip;
  let api: GatewayApi;

  beforeAll(async () => {
    ports = await claimRtpPorts(32);
    const loaded = loadSettings(
      {
        SVC_PORT: '0',
        SVC_SIP_HOST: '127.0.0.1',
        SVC_SIP_PORT: '0',
        SVC_RTP_PORT_MIN: `${ports.first}`,
        SVC_RTP_PORT_MAX: `${ports.last}`,
        SVC_DATA_DIR: folder,
        SVC_BOOTSTRAP_AGENT_KEY: AGENT_KEY,
        SVC_BOOTSTRAP_SETTINGS_KEY: SETTINGS_KEY,
      },
      folder,
    );
    if ('mistakes' in loaded) throw new Error(loaded.mistakes.join('\n'));
    gateway = await startGateway(loaded.settings, clock, openLoggers('silent'));
    phone = await Baresip.start({ user: '+33123456789' });
    api = new GatewayApi(gateway.publicUrl, AGENT_KEY);
    const settings = new GatewayApi(gateway.publicUrl, SETTINGS_KEY);
    const trunk = { host: '127.0.0.1', port: phone.sipPort, username: 'trunk', password: 'secret' };
    expect((await settings.put('/api/sip/trunk', { ...trunk, register: false })).status).toBe(200);
    expect((await settings.post('/api/sip/dids', { number: NUMBER })).status).toBe(200);
  });
  afterAll(async () => {
    await gateway?.close(5_000);
    await phone?.stop();
    ports?.release();
    rmSync(folder, { recursive: true, force: true });
  });

  const ringing = () =>
    waitFor('a call that rings', async () => {
      const { body } = await api.get('/api/calls');
      return body.calls.find(({ state }: ShownCall) => state === 'ringing');
    });

  it('ends with 480 after a minute, and is missed', async () => {
    await phone.dial(`sip:${NUMBER}@127.0.0.1:${gateway.sipPort}`);
    await phone.waitFor('CALL_RINGING');
    const call = await ringing();
    const agent = await Agent.connect(call.audio.stream_url, AGENT_KEY, 8_000);

    clock.turn(RINGING_MS - MARGIN_MS);
    expect((await api.get(`/api/call/${call.call_id}`)).body.state).toBe('ringing');
    expect(phone.events.map(({ type }) => type)).not.toContain('CALL_CLOSED');

    clock.turn(MARGIN_MS);
    expect((await phone.waitFor('CALL_CLOSED')).param).toMatch(/^480/);
    await agent.waitFor('call_state', { state: 'missed' });
    const { body } = await api.get(`/api/call/${call.call_id}`);
    expect(body.state).toBe('missed');
    expect(Date.parse(body.ended_at) - Date.parse(body.created_at)).toBeGreaterThanOrEqual(RINGING_MS);
    expect((await api.get('/api/calls')).body).toEqual({ calls: [] });
    expect((await api.post(`/api/call/${call.call_id}/accept`)).status).toBe(404);
    const [record] = readGatewayRows<{ state: string; result: string }>(
      folder,
      'select state, termination_result as result from calls where call_id = ?',
      call.call_id,
    );
    expect(record).toEqual({ state: 'missed', result: 'missed' });
  });

  it('can still be accepted in the last seconds', async () => {
    await phone.dial(`sip:${NUMBER}@127.0.0.1:${gateway.sipPort}`);
    const call = await ringing();
    clock.turn(RINGING_MS - MARGIN_MS);
    expect((await api.post(`/api/call/${call.call_id}/accept`)).body.state).toBe('active');
    await phone.waitFor('CALL_ESTABLISHED');
    clock.turn(MARGIN_MS);
    expect((await api.get(`/api/call/${call.call_id}`)).body.state).toBe('active');
    await api.delete(`/api/call/${call.call_id}`);
    await phone.waitFor('CALL_CLOSED');
  });
});
