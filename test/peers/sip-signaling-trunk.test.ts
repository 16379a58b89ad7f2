import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { SipTrunk } from '../../src/connectors/contract/sip-accounts.ts';
import type { SipConnectorOptions } from '../../src/connectors/sip/sip-connector.ts';
import { Baresip } from '../support/baresip.ts';
import { makeCertificate } from '../support/certificate.ts';
import { Registrar, type RegistrarOptions } from '../support/registrar.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor } from '../support/wait-for.ts';
import { RecordedLeg } from '../unit/connectors/sip/signaling/fake-calls.ts';
import {
  ConnectorUnderTest,
  dialTo,
  NUMBER,
  trunkTo,
} from '../unit/connectors/sip/signaling/start-connector.ts';

const USERS = { gateway: 'secret', phone: 'phone-secret' };
/** baresip 1.0.0 supports no other digest. */
const FOR_BARESIP = { algorithms: ['MD5'] } as const;

describe.skipIf(requirePeer('baresip', 'openssl'))('a SIP trunk with an independent registrar', () => {
  const cleanups: (() => Promise<void> | void)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function startRegistrar(options: Partial<RegistrarOptions> = {}): Promise<Registrar> {
    const registrar = await Registrar.start({
      users: USERS,
      numbers: { '+33123456789': 'gateway' },
      ...options,
    });
    cleanups.push(() => registrar.stop());
    return registrar;
  }

  async function startGateway(
    registrar: Registrar,
    trunk: Partial<SipTrunk> = {},
    options: Partial<SipConnectorOptions> = {},
  ): Promise<ConnectorUnderTest> {
    const gateway = await ConnectorUnderTest.start(options);
    cleanups.push(() => gateway.stop());
    gateway.connector.putTrunk(trunkTo(registrar.port, { register: true, ...trunk }));
    gateway.connector.putNumber(NUMBER);
    return gateway;
  }

  async function startPhone(registrar: Registrar): Promise<Baresip> {
    const { host, port } = registrar;
    const phone = await Baresip.start({ user: 'phone', registrar: { host, port, password: USERS.phone } });
    cleanups.push(() => phone.stop());
    await registrar.waitForBinding('phone');
    return phone;
  }

  function registered(gateway: ConnectorUnderTest): Promise<unknown> {
    return waitFor('registration', () => gateway.connector.registration('acc_1').state === 'registered');
  }

  function dial(gateway: ConnectorUnderTest, target: string) {
    const notes = new RecordedLeg();
    const request = dialTo(target);
    return { notes, leg: gateway.connector.dial(request, notes.media, notes) };
  }

  it.each([['MD5'], ['SHA-256']] as const)(
    'registers with %s, and removes its binding',
    async (algorithm) => {
      const registrar = await startRegistrar({ algorithms: [algorithm] });
      const gateway = await startGateway(registrar);
      await registered(gateway);
      const { expiresAt, lastError } = gateway.connector.registration('acc_1');
      expect(Date.parse(expiresAt!) - Date.now()).toBeGreaterThan(500_000);
      expect(lastError).toBeNull();
      gateway.connector.removeTrunk('acc_1');
      await waitFor('the binding to go', () => registrar.binding('gateway') === null);
      expect(gateway.connector.registration('acc_1').state).toBe('off');
      expect(registrar.violations).toEqual([]);
    },
  );

  it('gives up on a wrong password after one try', async () => {
    const registrar = await startRegistrar();
    const gateway = await startGateway(registrar, { password: 'wrong' });
    await waitFor('failure', () => gateway.connector.registration('acc_1').state === 'failed');
    expect(gateway.connector.registration('acc_1').lastError).toBe('401 Unauthorized');
    expect(registrar.requestsOf('REGISTER')).toHaveLength(2);
  });

  it('registers for longer after a 423', async () => {
    const registrar = await startRegistrar({ minExpiresS: 1_800 });
    const gateway = await startGateway(registrar);
    await registered(gateway);
    expect(registrar.binding('gateway')?.expiresS).toBe(1_800);
  });

  it('retransmits a lost REGISTER', async () => {
    const registrar = await startRegistrar();
    registrar.loseRequests('REGISTER', 2);
    const gateway = await startGateway(registrar);
    await registered(gateway);
    const [first, , third] = registrar.requestsOf('REGISTER');
    // 0.5 s and 1 s (RFC 3261 section 17.1.2.2), less what a busy machine notices the first one late.
    expect(third!.atMs - first!.atMs).toBeGreaterThan(1_200);
  });

  it.each([['number'], ['contact']] as const)(
    'accepts inbound calls whose Request-URI is the %s',
    async (requestUri) => {
      const registrar = await startRegistrar({ requestUri, recordRoute: true, ...FOR_BARESIP });
      const gateway = await startGateway(registrar);
      await registered(gateway);
      const phone = await startPhone(registrar);
      await phone.dial(`sip:+33123456789@127.0.0.1:${registrar.port}`);
      const { leg, notes, call } = await gateway.answerer.next();
      expect(call.target).toBe('sip:+33123456789@127.0.0.1');
      leg.accept();
      await notes.waitFor('answered');
      leg.hangUp();
      await phone.waitFor('CALL_CLOSED');
      await leg.released;
      expect(registrar.violations).toEqual([]);
    },
  );

  it('answers the challenge of an INVITE, and stays on the recorded route', async () => {
    const registrar = await startRegistrar({ challengeInvites: true, recordRoute: true, ...FOR_BARESIP });
    const gateway = await startGateway(registrar);
    const phone = await startPhone(registrar);
    await registered(gateway);
    const { notes, leg } = dial(gateway, `sip:phone@127.0.0.1:${registrar.port}`);
    await phone.waitFor('CALL_INCOMING');
    await phone.answer();
    await notes.waitFor('answered');
    leg.hangUp();
    await leg.released;
    expect(registrar.requestsOf('BYE')).toHaveLength(1);
    expect(registrar.violations).toEqual([]);
  });

  it('survives a stale nonce', async () => {
    const registrar = await startRegistrar({ challengeInvites: true, nonceUses: 1, ...FOR_BARESIP });
    const gateway = await startGateway(registrar);
    const phone = await startPhone(registrar);
    await registered(gateway);
    const { notes, leg } = dial(gateway, `sip:phone@127.0.0.1:${registrar.port}`);
    await phone.waitFor('CALL_INCOMING');
    leg.hangUp();
    await leg.released;
    expect(notes.termination?.result).toBe('no_answer');
  });

  it('works over TCP, and registers again when the connection is lost', async () => {
    const registrar = await startRegistrar();
    const gateway = await startGateway(registrar, { transport: 'tcp' });
    await registered(gateway);
    const before = registrar.requestsOf('REGISTER').length;
    registrar.forgetBindings();
    registrar.dropConnections();
    await registrar.waitForBinding('gateway');
    expect(registrar.requestsOf('REGISTER').length).toBeGreaterThan(before);
    expect(gateway.counted('transport_lost')).toBe(1);
    expect(registrar.violations).toEqual([]);
  });

  it('registers over TLS only when it trusts the certificate', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sip-tls-'));
    cleanups.push(() => rmSync(folder, { recursive: true, force: true }));
    const certificate = makeCertificate(folder);
    const registrar = await startRegistrar({ certificate });
    const strict = await startGateway(registrar, { transport: 'tls', port: registrar.tlsPort });
    await waitFor('failure', () => strict.connector.registration('acc_1').state === 'failed');
    expect(strict.connector.registration('acc_1').lastError).toBe('tls_failed');
    expect(strict.logs.join()).toMatch(/self.signed|certificate/i);
    const trusting = await startGateway(
      registrar,
      { transport: 'tls', port: registrar.tlsPort },
      { tlsTrust: { ca: readFileSync(certificate.certPath, 'utf8') } },
    );
    await registered(trusting);
    expect(registrar.binding('gateway')?.flow.protocol).toBe('TLS');
    expect(registrar.violations).toEqual([]);
  });

  it('agrees on SDES keys with baresip over TLS', async () => {
    const phone = await Baresip.start({ user: 'phone', transport: 'tls', srtp: true });
    cleanups.push(() => phone.stop());
    const gateway = await ConnectorUnderTest.start({ tlsTrust: { insecure: true } });
    cleanups.push(() => gateway.stop());
    gateway.connector.putTrunk(trunkTo(phone.sipPort, { transport: 'tls', srtp: 'required' }));
    const { notes } = dial(gateway, phone.uri);
    await phone.waitFor('CALL_INCOMING');
    await phone.answer();
    await notes.waitFor('answered');
    expect(notes.media.config?.srtp?.suite).toBe('AES_CM_128_HMAC_SHA1_80');
    expect(notes.media.config?.srtp?.remoteKey).toHaveLength(30);
    await phone.hangUp();
    await notes.waitFor('ended remote');
  });
});
