import { createSocket } from 'node:dgram';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { localAddressTowards } from '../../../../../src/connectors/sip/signaling/address/own-address.ts';
import { UdpTransport } from '../../../../../src/connectors/sip/signaling/transport/udp-transport.ts';
import { claimRtpPorts, claimSignalingPorts } from '../../../../support/free-ports.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, trunkTo } from './start-connector.ts';

describe('the life cycle of the connector', () => {
  const cleanups: (() => Promise<void> | void)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function startPeer(): Promise<ScriptedPeer> {
    const peer = await ScriptedPeer.start();
    cleanups.push(() => peer.stop());
    return peer;
  }

  async function startGateway(
    ...args: Parameters<typeof ConnectorUnderTest.start>
  ): Promise<ConnectorUnderTest> {
    const gateway = await ConnectorUnderTest.start(...args);
    cleanups.push(() => gateway.stop());
    return gateway;
  }

  it('moves from a port in use to the next free one, but only from the default port', async () => {
    const taken = createSocket('udp4');
    await new Promise<void>((resolve) => taken.bind(0, '127.0.0.1', resolve));
    cleanups.push(() => void taken.close());
    const port = taken.address().port;
    const gateway = await startGateway({ port, portIsDefault: true });
    expect(gateway.connector.port).toBeGreaterThan(port);
    await expect(ConnectorUnderTest.start({ port, portIsDefault: false })).rejects.toMatchObject({
      message: `Port ${port} of 127.0.0.1 is in use: set SVC_SIP_PORT to another one, or stop the program that uses it`,
      cause: { code: 'EADDRINUSE' },
    });
  });

  it('moves from a port that is in use for TCP only', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(() => void server.close());
    const { port } = server.address() as { port: number };
    const gateway = await startGateway({ port, portIsDefault: true });
    expect(gateway.connector.port).toBeGreaterThan(port);
  });

  it('refreshes its registration after half to four fifths of its time', async () => {
    const clock = new ManualClock();
    const peer = await startPeer();
    const gateway = await startGateway({}, clock);
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port, { register: true }));
    expect(gateway.connector.registration('acc_1').state).toBe('registering');
    const first = await peer.request('REGISTER');
    const contact = (first.headers.contact as { uri: string }[])[0]!.uri;
    const headers = [`Contact: <${contact}>;expires=100`, 'Expires: 9999'];
    peer.answer(first, 200, { contact: 'sip:another@192.0.2.1', headers });
    await waitFor('registered', () => gateway.connector.registration('acc_1').state === 'registered');
    expect(gateway.connector.registration('acc_1').expiresAt).toBe('2030-01-01T00:01:40.000Z');
    clock.advance(49_900);
    expect(peer.requests('REGISTER')).toHaveLength(1);
    clock.advance(30_100);
    const second = await peer.request('REGISTER');
    expect(second.headers['call-id']).toBe(first.headers['call-id']);
    expect(second.headers.cseq.seq).toBeGreaterThan(first.headers.cseq.seq);
    // The goodbye is not answered, and the clock stands still unless it is advanced.
    const stopped = gateway.stop();
    clock.advance(10_000);
    await stopped;
  });

  it('retries after 30 s to 30 min when it is rejected', async () => {
    const clock = new ManualClock();
    const peer = await startPeer();
    const gateway = await startGateway({}, clock);
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port, { register: true }));
    for (const [index, waitMs] of [30_000, 60_000, 120_000].entries()) {
      peer.answer(await peer.request('REGISTER'), 403);
      const failed = () => gateway.connector.registration('acc_1').lastError === '403 Scripted';
      await waitFor('failure', () => gateway.connector.registration('acc_1').state === 'failed' && failed());
      clock.advance(index === 0 ? 29_900 : waitMs * 0.74);
      expect(peer.requests('REGISTER')).toHaveLength(index + 1);
      clock.advance(waitMs);
    }
    peer.answer(await peer.request('REGISTER'), 403);
  });

  it('hangs up and removes its bindings when it closes', async () => {
    const peer = await startPeer();
    const gateway = await ConnectorUnderTest.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port, { register: true }));
    peer.answer(await peer.request('REGISTER'), 200);
    await waitFor('registered', () => gateway.connector.registration('acc_1').state === 'registered');
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@127.0.0.1');
    gateway.connector.dial(request, notes.media, notes);
    peer.answer(await peer.request('INVITE'), 200, { body: sdp() });
    await notes.waitFor('answered');
    const startedMs = performance.now();
    const closed = gateway.connector.close(60_000);
    // Either may come first.
    const [, unregister] = await waitFor(
      'the goodbye',
      () => peer.requests('REGISTER').length > 1 && peer.requests('REGISTER'),
    );
    const [bye] = await waitFor('the BYE', () => peer.requests('BYE').length > 0 && peer.requests('BYE'));
    expect(unregister!.headers.expires).toBe('0');
    peer.answer(bye!, 200);
    peer.answer(unregister!, 200);
    await closed;
    await gateway.connector.close(60_000);
    expect(performance.now() - startedMs).toBeLessThan(30_000);
    await gateway.stop();
  });

  it('fails cleanly when no RTP port is left, and when the trunk cannot be reached', async () => {
    const peer = await startPeer();
    const gateway = await startGateway({ rtpPortMin: 30_000, rtpPortMax: 30_001 });
    gateway.connector.putTrunk(trunkTo(peer.port));
    const dial = (notes: RecordedLeg) => {
      cleanups.push(() => notes.media.close());
      const request = dialTo('sip:1@127.0.0.1');
      return gateway.connector.dial(request, notes.media, notes);
    };
    const first = dial(new RecordedLeg());
    await peer.request('INVITE');
    const second = new RecordedLeg();
    dial(second);
    await second.waitFor('ended lost');
    expect(second.termination).toEqual({ result: 'failed', reason: 'all RTP ports are in use' });
    expect(gateway.counted('rtp_ports_exhausted')).toBe(1);
    first.hangUp();
    gateway.connector.putTrunk(trunkTo(1, { transport: 'tcp' }));
    const third = new RecordedLeg();
    dial(third);
    await third.waitFor('ended lost');
    expect(third.termination?.reason).toBe('the SIP trunk cannot be reached');
    expect(gateway.logs.join()).toContain('ECONNREFUSED');
  });

  it('continues a call over TCP after the connection was lost', async () => {
    const sockets: Socket[] = [];
    const heard: string[] = [];
    const server: Server = createServer((socket) => {
      sockets.push(socket);
      socket.on('data', (bytes) => heard.push(bytes.toString()));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    cleanups.push(
      () => void server.close(),
      () => void sockets.at(-1)?.destroy(),
    );
    const { port } = server.address() as { port: number };
    const gateway = await startGateway();
    gateway.connector.putTrunk(trunkTo(port, { transport: 'tcp' }));
    const notes = new RecordedLeg();
    const request = dialTo('sip:1@127.0.0.1');
    const leg = gateway.connector.dial(request, notes.media, notes);
    const invite = await waitFor('INVITE', () => heard.find((text) => text.startsWith('INVITE ')));
    const lines = invite.split('\r\n');
    const copied = lines.filter((line) => /^(via|from|call-id|cseq):/i.test(line));
    const to = lines.find((line) => /^to:/i.test(line));
    const body = sdp();
    const head = [
      'SIP/2.0 200 OK',
      ...copied,
      `${to};tag=t`,
      `Contact: <sip:p@127.0.0.1:${port};transport=tcp>`,
    ];
    const type = ['Content-Type: application/sdp', `Content-Length: ${body.length}`, '', body];
    sockets[0]!.write([...head, ...type].join('\r\n'));
    await notes.waitFor('answered');
    expect(invite).toContain(';transport=tcp>');
    sockets[0]!.destroy();
    await waitFor('the loss', () => gateway.counted('transport_lost') === 1);
    expect(notes.log).toEqual(['answered']);
    leg.hangUp();
    await waitFor('BYE on a new connection', () => heard.some((text) => text.includes('BYE sip:p@')));
    expect(sockets).toHaveLength(2);
  });

  it('leaves no socket open when it is closed during its start', async () => {
    const claim = await claimSignalingPorts(1);
    cleanups.push(() => claim.release());
    const gateway = ConnectorUnderTest.prepare(await claimRtpPorts(2), claim.first);
    cleanups.push(() => gateway.stop());
    const started = gateway.connector.start();
    await gateway.connector.close(1_000);
    await started;
    const again = createServer();
    await new Promise<void>((resolve, reject) =>
      again.on('error', reject).listen(claim.first, '127.0.0.1', resolve),
    );
    again.close();
  });
});

describe('the local address', () => {
  it('is the one chosen by routing, and a missing route is an error', async () => {
    expect(await localAddressTowards('127.0.0.1', 5_060)).toBe('127.0.0.1');
    await expect(localAddressTowards('255.255.255.255', 5_060)).rejects.toThrow();
  });

  it('reaches IPv4 peers from a socket for both families', async () => {
    const peer = await ScriptedPeer.start();
    const udp = new UdpTransport(() => false);
    await udp.listen('::', 0);
    await udp.send(
      'OPTIONS sip:a@b SIP/2.0\r\nVia: SIP/2.0/UDP x;branch=z9hG4bKx\r\nFrom: <sip:a@b>;tag=1\r\nTo: <sip:a@b>\r\nCall-ID: x\r\nCSeq: 1 OPTIONS\r\n\r\n',
      '127.0.0.1',
      peer.port,
    );
    await peer.request('OPTIONS');
    udp.close();
    peer.stop();
  });
});
