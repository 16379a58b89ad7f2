import { createServer } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AddressPolicy } from '../../../../../src/connectors/sip/signaling/address/address-policy.ts';
import type { Dns } from '../../../../../src/connectors/sip/signaling/address/dns.ts';
import { TurnableClock } from '../../../../support/turnable-clock.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, TOKEN, trunkTo } from './start-connector.ts';

const TENANT = { ofOperator: false } as const;
const ONLY_SERVER = { trunkAllow: ['127.0.0.1'] } as const;

describe('the addresses of trunks', () => {
  let peer: ScriptedPeer;
  const stops: (() => unknown)[] = [];

  beforeEach(async () => {
    peer = await ScriptedPeer.start();
    stops.push(() => peer.stop());
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).reverse()) await stop();
  });

  async function start(...args: Parameters<typeof ConnectorUnderTest.start>): Promise<ConnectorUnderTest> {
    const gateway = await ConnectorUnderTest.start(...args);
    stops.push(() => gateway.stop());
    peer.facing(gateway.connector.port!);
    return gateway;
  }

  /** Server addresses are looked up in the background. */
  async function knowsPeer(gateway: ConnectorUnderTest): Promise<void> {
    let cseq = 0;
    await waitFor('an answer to OPTIONS', () => {
      peer.send('OPTIONS', `sip:${gateway.uri}`, { callId: 'probe', cseq: ++cseq });
      return peer.statuses('OPTIONS').includes(200);
    });
  }

  function failed(gateway: ConnectorUnderTest): Promise<string | null> {
    return waitFor('a failure', () => {
      const { state, lastError } = gateway.connector.registration('acc_1');
      return state === 'failed' && lastError;
    });
  }

  it.each([
    ['a tenant, loopback', '127.0.0.1', TENANT, []],
    ['a tenant, loopback next to the allowed one', '127.0.0.1', TENANT, ['127.0.0.2']],
    ['a tenant, private', '10.1.2.3', TENANT, []],
    ['a tenant, IPv6 loopback', '::1', TENANT, []],
    ['a tenant, a mapped address', '::ffff:127.0.0.1', TENANT, []],
    ['a tenant, NAT64', '64:ff9b::7f00:1', TENANT, []],
    ['a tenant, allowed metadata address', '169.254.169.254', TENANT, ['0.0.0.0/0']],
    ['the operator, allowed metadata address', '169.254.169.254', {}, ['0.0.0.0/0']],
    ['the operator, unspecified', '0.0.0.0', {}, []],
    ['the operator, multicast', '224.0.0.1', {}, []],
  ])('are refused: %s', async (_who, host, rights, trunkAllow) => {
    const gateway = await start({ trunkAllow });
    gateway.connector.putTrunk(trunkTo(peer.port, { ...rights, host, register: true }));
    expect(await failed(gateway)).toBe('not_allowed');
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@x.example');
    gateway.connector.dial(request, notes.media, notes);
    await notes.waitFor('ended lost');
    expect(notes.termination?.reason).toBe('the address of the SIP trunk is not allowed');
    expect([peer.received, gateway.connector.inboundUri('acc_1')]).toEqual([[], null]);
  });

  it.each([
    ['the operator, loopback', {}, []],
    ['a tenant, allowed loopback', TENANT, ['127.0.0.0/8']],
  ])('are used: %s', async (_who, rights, trunkAllow) => {
    const gateway = await start({ trunkAllow });
    gateway.connector.putTrunk(trunkTo(peer.port, { ...rights, register: true }));
    peer.answer(await peer.request('REGISTER'), 200);
    await waitFor('registered', () => gateway.connector.registration('acc_1').state === 'registered');
  });

  it('are checked one by one, again at every registration, and before every call', async () => {
    let addresses = ['127.0.0.2', '127.0.0.1'];
    const dns: Dns = {
      naptr: () => Promise.reject(new Error('none')),
      srv: () => Promise.reject(new Error('none')),
      addresses: async () => addresses.map((address) => ({ address, ttlS: 1 })),
    };
    const clock = new TurnableClock();
    const gateway = await start({ ...ONLY_SERVER, dns }, clock);
    gateway.connector.putTrunk(trunkTo(peer.port, { ...TENANT, host: 'moves.example', register: true }));
    // Only the second of the two addresses is allowed.
    peer.answer(await peer.request('REGISTER'), 200);
    await waitFor('registered', () => gateway.connector.registration('acc_1').state === 'registered');
    addresses = ['127.0.0.2'];
    clock.turn(10_000);
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@x.example');
    gateway.connector.dial(request, notes.media, notes);
    await notes.waitFor('ended lost');
    // Its account must not learn that the name resolves to an internal address.
    expect(notes.termination?.reason).toBe('the SIP trunk cannot be reached');
    expect(gateway.logs.join()).toContain('no address of moves.example is allowed');
    clock.turn(600_000);
    expect(await failed(gateway)).toBe('unreachable');
    expect(peer.requests('INVITE')).toEqual([]);
  });

  it('are reported in one word when they do not answer, with details in the log', async () => {
    const gateway = await start();
    const closed = createServer();
    await new Promise<void>((resolve) => closed.listen(0, '127.0.0.1', resolve));
    const { port: closedPort } = closed.address() as { port: number };
    await new Promise((resolve) => closed.close(resolve));
    gateway.connector.putTrunk(trunkTo(closedPort, { transport: 'tcp', register: true }));
    expect(await failed(gateway)).toBe('unreachable');
    expect(gateway.logs.join()).toContain('ECONNREFUSED');

    const plain = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    stops.push(() => plain.close());
    const { port } = plain.address() as { port: number };
    gateway.connector.putTrunk(trunkTo(port, { transport: 'tls', register: true }));
    expect(await failed(gateway)).toBe('tls_failed');
    gateway.connector.putTrunk(trunkTo(5_060, { host: 'nowhere.invalid', register: true }));
    expect(await failed(gateway)).toBe('unreachable');
  });

  it.each([
    ['the address of the server', '127.0.0.1', 40_000, '127.0.0.1'],
    ['a public address', '203.0.114.1', 40_000, '203.0.114.1'],
    ['a private address', '10.0.0.1', 40_000, null],
    ['another address of this machine', '127.0.0.2', 40_000, null],
    ['a metadata address', '169.254.169.254', 40_000, null],
    ['a multicast address', '239.1.2.3', 40_000, null],
    ['the unspecified address', '0.0.0.0', 40_000, null],
    ['a service’s port', '203.0.114.1', 53, null],
  ])('in SDP get RTP, or else the peer has to speak first: %s', async (_what, host, port, expected) => {
    const gateway = await start(ONLY_SERVER);
    gateway.connector.putTrunk(trunkTo(peer.port, TENANT));
    gateway.connector.putNumber(NUMBER);
    await knowsPeer(gateway);
    gateway.answerer.answersAtOnce = true;
    const to = `sip:${NUMBER.number}@provider.example`;
    const body = sdp(port).replace('c=IN IP4 127.0.0.1', `c=IN IP4 ${host}`);
    peer.send('INVITE', `sip:${TOKEN}@${gateway.uri}`, { callId: 'sdp', cseq: 1, body, to });
    await peer.response(200, 'INVITE');
    const { notes } = await gateway.answerer.next();
    await waitFor('the configuration', () => notes.media.config);
    expect(notes.media.config).toMatchObject({
      remoteHost: expected,
      remotePort: expected === null ? 0 : port,
    });
  });

  it('in a Contact are not followed where the trunk may not go', async () => {
    const inner = await ScriptedPeer.start('127.0.0.3');
    stops.push(() => inner.stop());
    const gateway = await start(ONLY_SERVER);
    gateway.connector.putTrunk(trunkTo(peer.port, TENANT));
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@x.example');
    const leg = gateway.connector.dial(request, notes.media, notes);
    const contact = `sip:peer@127.0.0.3:${inner.port}`;
    const headers = [`Record-Route: <sip:127.0.0.3:${inner.port};lr>`];
    peer.answer(await peer.request('INVITE'), 200, { contact, headers, body: sdp() });
    await notes.waitFor('answered');
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(inner.received).toEqual([]);
  });

  it.each([
    ['127.0.0.1', '127.0.0.1', true],
    ['127.0.0.1', '192.168.1.9', true],
    ['192.168.1.2', '192.168.1.9', true],
    ['192.168.1.2', '127.0.0.1', false],
    ['203.0.114.1', '192.168.1.9', false],
    ['203.0.114.1', '127.0.0.1', false],
    ['127.0.0.1', '169.254.169.254', false],
    ['203.0.114.1', '203.0.114.9', true],
  ])('of the operator’s trunk at %s: a peer that names %s is followed: %s', (server, named, followed) => {
    expect(new AddressPolicy([]).mayFollow(named, true, [server])).toBe(followed);
  });
});
