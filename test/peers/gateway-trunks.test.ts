import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { Agent } from '../support/agent.ts';
import { Baresip } from '../support/baresip.ts';
import { makeCertificate } from '../support/certificate.ts';
import { endedCall } from '../support/ended-call.ts';
import { Gateway } from '../support/gateway.ts';
import type { ShownCall } from '../support/gateway-pair.ts';
import { PhoneLine } from '../support/phone-line.ts';
import { Registrar, type RegistrarOptions } from '../support/registrar.ts';
import { requirePeer } from '../support/require-peer.ts';
import { analyzeTone } from '../support/tone-analysis.ts';
import { streamTone } from '../support/tone-stream.ts';
import { waitFor } from '../support/wait-for.ts';

const NUMBER = '+33100000001';
const AGENT_TONE_HZ = 1_037;
const PHONE_TONE_HZ = 440;
const SAMPLE_RATE_HZ = 16_000;
const PASSWORD = 'secret';

describe.skipIf(requirePeer('baresip', 'openssl'))('a gateway behind a trunk', () => {
  const opened: { stop(): Promise<unknown> }[] = [];

  afterEach(async () => {
    for (const peer of opened.splice(0).reverse()) await peer.stop();
  });

  async function open<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
    const peer = await starting;
    opened.push(peer);
    return peer;
  }

  const startRegistrar = (options: Partial<RegistrarOptions> = {}) =>
    open(
      Registrar.start({
        users: { gateway: PASSWORD, '+33123456789': 'phone-secret' },
        numbers: { [NUMBER]: 'gateway' },
        ...options,
      }),
    );

  const trunkOf = ({ host, port }: { host: string; port: number }, password = PASSWORD) => ({
    ...{ host, port, username: 'gateway', password, register: true },
  });

  async function registration(gateway: Gateway) {
    return (await gateway.settingsApi.get('/api/sip/trunk')).body.registration;
  }

  const waitForRegistration = (gateway: Gateway, state: string) =>
    waitFor(`registration to be ${state}`, async () => {
      const shown = await registration(gateway);
      return shown.state === state && shown;
    });

  const activeCall = (gateway: Gateway): Promise<ShownCall> =>
    waitFor('an active call', async () => {
      const { body } = await gateway.agentApi.get('/api/calls');
      return body.calls.find(({ state }: ShownCall) => state === 'active');
    });

  /** Both speak for three seconds; the call ends, and each has heard the other cleanly. */
  async function hearEachOther(gateway: Gateway, phone: Baresip, call: ShownCall): Promise<string> {
    const agent = await Agent.join(call.audio.stream_url, gateway.agentKey, { sampleRateHz: SAMPLE_RATE_HZ });
    const speaking = streamTone(agent, AGENT_TONE_HZ, 200);
    await agent.hear(25);
    const heard = await agent.hear(75);
    speaking.stop();
    const media = await phone.mediaReport();
    await gateway.agentApi.delete(`/api/call/${call.call_id}`);
    await phone.waitFor('CALL_CLOSED');
    expect(analyzeTone(heard, SAMPLE_RATE_HZ, PHONE_TONE_HZ).snrDb).toBeGreaterThan(30);
    const { samples, sampleRateHz } = phone.recordings().at(-1)!;
    const atPhone = analyzeTone(samples, sampleRateHz, AGENT_TONE_HZ);
    expect(atPhone.snrDb).toBeGreaterThan(30);
    expect(atPhone.lengthMs).toBeGreaterThan(1_000);
    return media;
  }

  it.each(['MD5', 'SHA-256'] as const)(
    'registers with %s, and unregisters when deleted',
    async (algorithm) => {
      const registrar = await startRegistrar({ algorithms: [algorithm] });
      const gateway = await open(Gateway.start());
      await gateway.putTrunk(trunkOf(registrar));
      const { last_error, expires_at } = await waitForRegistration(gateway, 'registered');
      expect(last_error).toBeNull();
      expect(Date.parse(expires_at)).toBeGreaterThan(Date.now() + 60_000);
      expect(registrar.binding('gateway')).not.toBeNull();
      const shown = JSON.stringify((await gateway.settingsApi.get('/api/sip/trunk')).body);
      expect(shown).not.toContain(PASSWORD);

      expect((await gateway.settingsApi.delete('/api/sip/trunk')).status).toBe(200);
      await waitFor('the binding to go', () => registrar.binding('gateway') === null);
      expect((await gateway.settingsApi.get('/api/sip/trunk')).status).toBe(404);
      expect(registrar.violations).toEqual([]);
    },
  );

  it('reports a wrong password, and registers with the right one', async () => {
    const registrar = await startRegistrar();
    const gateway = await open(Gateway.start());
    await gateway.putTrunk(trunkOf(registrar, 'wrong'));
    const failed = await waitForRegistration(gateway, 'failed');
    expect(failed).toEqual({ state: 'failed', last_error: '401 Unauthorized', expires_at: null });
    expect(registrar.binding('gateway')).toBeNull();
    await gateway.putTrunk(trunkOf(registrar));
    expect((await waitForRegistration(gateway, 'registered')).last_error).toBeNull();
    expect(registrar.binding('gateway')).not.toBeNull();
  });

  it.each(['udp', 'tcp'] as const)(
    'receives and places calls through its registrar over %s',
    async (transport) => {
      const registrar = await startRegistrar({
        algorithms: ['MD5'],
        challengeInvites: true,
        recordRoute: true,
        requestUri: 'contact',
      });
      const gateway = await open(Gateway.start());
      await gateway.putTrunk({ ...trunkOf(registrar), transport });
      await waitForRegistration(gateway, 'registered');
      await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: true });
      const { host, port } = registrar;
      const phone = await open(
        Baresip.start({
          ...{ user: '+33123456789', answer: 'auto', transport },
          registrar: { host, port, password: 'phone-secret' },
        }),
      );
      await phone.waitUntilRegistered();

      await phone.dial(`sip:${NUMBER}@${host}:${port};transport=${transport}`);
      const inbound = await activeCall(gateway);
      expect(inbound).toMatchObject({ direction: 'inbound', caller: '+33123456789' });
      await hearEachOther(gateway, phone, inbound);

      const call = await gateway.placeCall(`sip:+33123456789@${host}:${port}`);
      await gateway.waitForState(call.call_id, 'active');
      await hearEachOther(gateway, phone, call);
      expect(registrar.requestsOf('BYE')).toHaveLength(2);
      expect(new Set(registrar.requests.map(({ protocol }) => protocol))).toEqual(
        new Set([transport.toUpperCase()]),
      );
      expect(registrar.violations).toEqual([]);
    },
  );

  describe('over TLS with SDES-SRTP', () => {
    it('talks to a phone that accepts nothing else', async () => {
      const line = await open(
        PhoneLine.start({ phone: { transport: 'tls', srtp: true }, trunk: { srtp: 'required' } }),
      );
      const media = await hearEachOther(line.gateway, line.phone, await line.talk());
      expect(media).toMatch(/menc: srtp-mand \(secure=yes\)/);
    });

    it('receives a call through its registrar', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'registrar-'));
      opened.push({ stop: async () => rmSync(folder, { recursive: true }) });
      const certificate = makeCertificate(folder);
      const registrar = await startRegistrar({ certificate, algorithms: ['MD5'], recordRoute: true });
      const gateway = await open(Gateway.start({ env: { SVC_SIP_TLS_CA_FILE: certificate.certPath } }));
      const { host, tlsPort: port } = registrar;
      await gateway.putTrunk({ ...trunkOf({ host, port }), transport: 'tls', srtp: 'required' });
      await waitForRegistration(gateway, 'registered');
      await gateway.settingsApi.post('/api/sip/dids', { number: NUMBER, auto_answer: true });
      const phone = await open(
        Baresip.start({
          ...{ user: '+33123456789', transport: 'tls', srtp: true },
          registrar: { host, port, password: 'phone-secret' },
        }),
      );
      await phone.waitUntilRegistered();
      await phone.dial(`sip:${NUMBER}@${host}:${port};transport=tls`);
      const media = await hearEachOther(gateway, phone, await activeCall(gateway));
      expect(media).toMatch(/menc: srtp-mand \(secure=yes\)/);
      const [invite] = registrar.requestsOf('INVITE');
      expect(invite?.protocol).toBe('TLS');
      expect(invite?.request.content).toMatch(/RTP\/SAVP/);
    });

    it('refuses a trunk whose certificate is not trusted', async () => {
      const line = await open(
        PhoneLine.start({
          phone: { transport: 'tls', srtp: true },
          gateway: { env: { SVC_SIP_TLS_CA_FILE: '' } },
        }),
      );
      const call = await line.gateway.placeCall(line.phone.uri);
      const { result, reason } = await endedCall(line.gateway, call.call_id);
      expect([result, reason]).toEqual(['failed', 'TLS with the SIP trunk failed']);
      await waitFor('the reason in the log', () => line.gateway.output.includes('self-signed certificate'));
      expect(line.phone.events.map(({ type }) => type)).not.toContain('CALL_INCOMING');
    });
  });
});
