import { afterEach, describe, expect, it } from 'vitest';
import { Baresip } from '../support/baresip.ts';
import { type BaresipOptions, phoneRateHz } from '../support/baresip-config.ts';
import { Registrar } from '../support/registrar.ts';
import { requirePeer } from '../support/require-peer.ts';
import { SipProbe } from '../support/sip-probe.ts';
import { Sipp } from '../support/sipp.ts';
import { answerAndWait, placeAndHold, refuse } from '../support/sipp-scenarios.ts';
import { analyzeTone, findToneBreaks } from '../support/tone-analysis.ts';
import { waitFor } from '../support/wait-for.ts';

const opened: { stop(): Promise<unknown> }[] = [];

async function open<T extends { stop(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const peer = await starting;
  opened.push(peer);
  return peer;
}

afterEach(async () => {
  for (const peer of opened.splice(0).reverse()) await peer.stop();
});

/** A phone with a 1 kHz tone calls one with 440 Hz; both are heard for three seconds. */
async function callEachOther(options: Partial<BaresipOptions>) {
  const alice = await open(Baresip.start({ user: 'alice', source: { toneHz: 1_000 }, ...options }));
  const bob = await open(
    Baresip.start({ user: 'bob', answer: 'auto', codecs: ['PCMU', 'PCMA'], ...options }),
  );
  await alice.dial(bob.uri);
  await alice.waitFor('CALL_ESTABLISHED');
  const lengthSamples = 3 * phoneRateHz(options);
  const hasHeard = () => (bob.recordings()[0]?.samples.length ?? 0) > lengthSamples;
  await waitFor('three seconds of sound', hasHeard);
  await alice.hangUp();
  await alice.waitFor('CALL_CLOSED');
  await bob.waitFor('CALL_CLOSED');
  return { alice, bob };
}

describe.skipIf(requirePeer('baresip', 'openssl'))('two baresips', () => {
  const variants: [string, Partial<BaresipOptions>][] = [
    ['PCMU', { codecs: ['PCMU'] }],
    ['PCMA', { codecs: ['PCMA'] }],
    ['Opus', { codecs: ['opus'] }],
    ['TLS and SRTP', { transport: 'tls', srtp: true }],
  ];
  it.each(variants)('hear each other cleanly over %s', async (_name, options) => {
    const { alice, bob } = await callEachOther(options);
    for (const [phone, toneHz] of [
      [bob, 1_000],
      [alice, 440],
    ] as const) {
      const [heard] = phone.recordings();
      if (heard === undefined) throw new Error('no recording');
      const report = analyzeTone(heard.samples, heard.sampleRateHz, toneHz);
      expect(report.snrDb).toBeGreaterThan(35);
      // Opus spends its bits as it sees fit: single windows of a tone come out rougher.
      expect(report.worstSnrDb).toBeGreaterThan(options.codecs?.includes('opus') ? 10 : 30);
      expect(report.lengthMs).toBeGreaterThan(2_500);
      expect(findToneBreaks(heard.samples, heard.sampleRateHz, toneHz)).toEqual([]);
    }
  });

  it('exchange DTMF digits', async () => {
    const alice = await open(Baresip.start({ user: 'alice' }));
    const bob = await open(Baresip.start({ user: 'bob', answer: 'auto' }));
    await alice.dial(bob.uri);
    await alice.waitFor('CALL_ESTABLISHED');
    await alice.sendDtmf('1590*#');
    await waitFor('six digits', () => bob.receivedDigits.length >= 6);
    expect(bob.receivedDigits).toBe('1590*#');
  });

  it('refuse a call', async () => {
    const alice = await open(Baresip.start({ user: 'alice' }));
    const bob = await open(Baresip.start({ user: 'bob' }));
    await alice.dial(bob.uri);
    await bob.waitFor('CALL_INCOMING');
    await bob.hangUp();
    const { param } = await alice.waitFor('CALL_CLOSED');
    expect(param).toMatch(/^486/);
  });
});

describe.skipIf(requirePeer('baresip'))('the registrar', () => {
  it.each(['udp', 'tcp'] as const)(
    'accepts registrations and carries a call by number over %s',
    async (transport) => {
      const registrar = await open(
        Registrar.start({
          users: { '1001': 'secret', '1002': 'other' },
          algorithms: ['MD5'],
          numbers: { '+33123456789': '1002' },
          challengeInvites: true,
          recordRoute: true,
        }),
      );
      const at = { host: registrar.host, port: registrar.port };
      const alice = await open(
        Baresip.start({ user: '1001', transport, registrar: { ...at, password: 'secret' } }),
      );
      const bob = await open(
        Baresip.start({ user: '1002', transport, registrar: { ...at, password: 'other' } }),
      );
      await alice.waitUntilRegistered();
      await bob.waitUntilRegistered();
      await alice.dial(`sip:+33123456789@${registrar.host}:${registrar.port}`);
      await bob.waitFor('CALL_INCOMING');
      await bob.answer();
      await bob.waitFor('CALL_ESTABLISHED');
      await bob.hangUp();
      await alice.waitFor('CALL_CLOSED');
      expect(registrar.violations).toEqual([]);
      expect(registrar.requestsOf('INVITE').length).toBe(2);
      expect(registrar.requestsOf('BYE').length).toBe(1);
    },
  );

  it('sees a lost request again half a second later', async () => {
    const registrar = await open(Registrar.start({ users: { '1001': 'secret' }, algorithms: ['MD5'] }));
    registrar.loseRequests('REGISTER', 2);
    await open(
      Baresip.start({
        user: '1001',
        registrar: { host: registrar.host, port: registrar.port, password: 'secret' },
      }),
    );
    await registrar.waitForBinding('1001');
    const [first, second, third] = registrar.requests.map((received) => received.atMs);
    expect(Math.abs((second ?? 0) - (first ?? 0) - 500)).toBeLessThan(200);
    expect(Math.abs((third ?? 0) - (second ?? 0) - 1_000)).toBeLessThan(200);
  });

  it('refuses a wrong password and records why', async () => {
    const registrar = await open(Registrar.start({ users: { '1001': 'secret' }, algorithms: ['MD5'] }));
    await open(
      Baresip.start({
        user: '1001',
        registrar: { host: registrar.host, port: registrar.port, password: 'wrong' },
      }),
    );
    await waitFor('a refusal', () => registrar.violations.length > 0);
    expect(registrar.violations[0]).toBe('digest: wrong response');
    expect(registrar.binding('1001')).toBeNull();
  });
});

describe.skipIf(requirePeer('baresip'))('the probe', () => {
  it('gets a phone to answer, and to retransmit until it is acknowledged', async () => {
    const phone = await open(Baresip.start({ user: 'bob', answer: 'auto' }));
    const probe = await open(SipProbe.start({ host: '127.0.0.1', port: phone.sipPort }));
    probe.send({ method: 'OPTIONS', uri: phone.uri, callId: 'options' });
    await probe.waitForStatus('options', 200);
    const invite = { method: 'INVITE', uri: phone.uri, callId: 'invite', body: probe.offer() };
    probe.send(invite);
    const ok = await probe.waitForStatus('invite', 200);
    await waitFor('two more of the 200', () => probe.responses('invite', 200).length >= 3);
    const [first, second, third] = probe.responses('invite', 200).map((response) => response.atMs);
    expect(Math.abs((second ?? 0) - (first ?? 0) - 500)).toBeLessThan(200);
    expect(Math.abs((third ?? 0) - (second ?? 0) - 1_000)).toBeLessThan(200);
    const toTag = ok.headers.to.params.tag ?? '';
    probe.send({ method: 'ACK', uri: phone.uri, callId: 'invite', toTag });
    await phone.waitFor('CALL_ESTABLISHED');
    probe.send({ method: 'BYE', uri: phone.uri, callId: 'invite', cseq: 2, toTag });
    await phone.waitFor('CALL_CLOSED');
  });
});

describe.skipIf(requirePeer('sipp'))('sipp', () => {
  it('calls sipp and both count the same', async () => {
    const uas = await open(Sipp.start({ scenario: { builtIn: 'uas' }, calls: 20, rtpEcho: true }));
    const uac = await open(
      Sipp.start({ scenario: { builtIn: 'uac' }, target: `127.0.0.1:${uas.port}`, calls: 20, rate: 20 }),
    );
    const [called, calling] = [await uas.finished(30_000), await uac.finished(20_000)];
    expect(calling).toMatchObject({ created: 20, successful: 20, failed: 0, exitCode: 0 });
    expect(called).toMatchObject({ created: 20, successful: 20, failed: 0, exitCode: 0 });
  });

  it('follows our scenarios on both sides', async () => {
    const callee = await open(Sipp.start({ scenario: { xml: answerAndWait(200) }, calls: 10 }));
    const target = `127.0.0.1:${callee.port}`;
    const caller = await open(
      Sipp.start({ scenario: { xml: placeAndHold(500) }, target, service: '+49301', calls: 10, rate: 20 }),
    );
    expect(await caller.finished(30_000)).toMatchObject({ successful: 10, failed: 0, retransmissions: 0 });
    expect(await callee.finished(30_000)).toMatchObject({ successful: 10, failed: 0 });
    const refusing = await open(Sipp.start({ scenario: { xml: refuse('486 Busy Here') }, calls: 1 }));
    const refused = await open(
      Sipp.start({
        scenario: { xml: placeAndHold(0) },
        target: `127.0.0.1:${refusing.port}`,
        service: '+49301',
        calls: 1,
      }),
    );
    expect(await refused.finished(30_000)).toMatchObject({ successful: 0, failed: 1 });
    expect(await refusing.finished(30_000)).toMatchObject({ successful: 1, failed: 0 });
  });

  it('reports an unanswered call as failed', async () => {
    const uac = await open(
      Sipp.start({
        scenario: { builtIn: 'uac' },
        target: '127.0.0.1:9',
        calls: 1,
        extraArgs: ['-max_invite_retrans', '1'],
      }),
    );
    const result = await uac.finished(30_000);
    expect(result).toMatchObject({ successful: 0, failed: 1, exitCode: 1 });
  });
});
