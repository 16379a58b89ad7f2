import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { admitsStranger } from '../../../../../src/connectors/sip/signaling/guard/stranger-filter.ts';
import { makeCertificate } from '../../../../support/certificate.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { waitFor, within } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, trunkTo } from './start-connector.ts';

const STRANGER = '127.0.0.9';
const CONTACT_USER = '0123456789abcdef01';
const BRANCH = 'z9hG4bK0123456789abcdef01234567';

describe('a stranger’s message', () => {
  const known = {
    contactUser: (user: string) => user === CONTACT_USER,
    branch: (branch: string) => branch === BRANCH,
  };

  it.each([
    ['our Contact', `INVITE sip:${CONTACT_USER}@h SIP/2.0\r\n`, true],
    ['our Contact with parameters', `\r\n\r\nBYE sips:${CONTACT_USER};x=y@h:5060;ob SIP/2.0\r\n`, true],
    ['our Contact with a password', `BYE sip:${CONTACT_USER}:x@h SIP/2.0\r\n`, true],
    ['a number', 'INVITE sip:+33123456789@h SIP/2.0\r\n', false],
    [
      'our Contact elsewhere',
      `INVITE sip:a@h;x=${CONTACT_USER} SIP/2.0\r\nTo: <sip:${CONTACT_USER}@h>\r\n`,
      false,
    ],
    ['our Contact in a line without end', `INVITE sip:${CONTACT_USER}@${'h'.repeat(600)} SIP/2.0\r\n`, false],
    ['our Contact without a host', `INVITE sip:${CONTACT_USER} SIP/2.0\r\n`, false],
    ['our branch', `SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP h;branch=${BRANCH};rport\r\n`, true],
    ['our branch at the end', `SIP/2.0 200 OK\r\nv: SIP/2.0/UDP h;branch=${BRANCH}`, true],
    ['another branch', 'SIP/2.0 200 OK\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKother\r\n', false],
    [
      'our branch far down',
      `SIP/2.0 200 OK\r\nSubject: ${'x'.repeat(3_000)}\r\nVia: SIP/2.0/UDP h;branch=${BRANCH}\r\n`,
      false,
    ],
    ['a status only', 'SIP/2.0 ', false],
    ['nothing', '', false],
  ])('that names %s is admitted or not', (_what, text, admitted) => {
    expect(admitsStranger(Buffer.from(text), known)).toBe(admitted);
  });
});

describe('a stranger', () => {
  const cleanups: (() => Promise<void> | void)[] = [];

  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });

  async function start(...args: Parameters<typeof ConnectorUnderTest.start>): Promise<ConnectorUnderTest> {
    const gateway = await ConnectorUnderTest.start(...args);
    cleanups.push(() => gateway.stop());
    gateway.connector.putTrunk(trunkTo(5_062, { host: '127.0.0.2' }));
    gateway.connector.putNumber(NUMBER);
    return gateway;
  }

  function dial(port: number): Socket & { heard: string } {
    const socket = Object.assign(connect({ host: '127.0.0.1', port, localAddress: STRANGER }), { heard: '' });
    socket.on('data', (bytes) => {
      socket.heard += bytes.toString('latin1');
    });
    socket.on('error', () => {});
    cleanups.push(() => void socket.destroy());
    return socket;
  }

  const closed = (socket: Socket): Promise<void> =>
    within(
      'the gateway to close the connection',
      new Promise((resolve) => socket.once('close', () => resolve())),
    );

  it('may answer our request from another address over UDP', async () => {
    const gateway = await ConnectorUnderTest.start();
    cleanups.push(() => gateway.stop());
    const peer = await ScriptedPeer.start();
    const other = await ScriptedPeer.start(STRANGER);
    cleanups.push(() => [peer, other].forEach((each) => void each.stop()));
    other.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    const notes = new RecordedLeg();
    gateway.connector.dial(dialTo('sip:+33123456789@127.0.0.1'), notes.media, notes);
    await peer.request('INVITE');
    const lines = peer.received[0]!.text.split('\r\n');
    const copied = lines.filter((line) => /^(via|from|call-id|cseq):/i.test(line));
    const to = lines.find((line) => /^to:/i.test(line))!;
    other.sendText(['SIP/2.0 180 Ringing', ...copied, `${to};tag=x`, '', ''].join('\r\n'));
    await notes.waitFor('ringing');
    other.sendText('SIP/2.0 180 Ringing\r\nVia: SIP/2.0/UDP h;branch=z9hG4bKother\r\n\r\n');
    await waitFor('the other one to be dropped', () => gateway.counted('scanner_dropped') === 1);
  });

  it('may hold a few connections per address, each for five seconds', async () => {
    const clock = new ManualClock();
    const gateway = await start({}, clock);
    const sockets = Array.from({ length: 8 }, () => dial(gateway.connector.port!));
    await Promise.all(sockets.map((socket) => new Promise((resolve) => socket.once('connect', resolve))));
    await closed(dial(gateway.connector.port!));
    expect(gateway.counted('connection_refused')).toBe(1);
    // Unfinished messages do not extend the time, and keep-alives get no answer.
    for (const socket of sockets) socket.write('\r\n\r\nINVITE sip:a@b');
    clock.advance(4_999);
    expect(sockets.some((socket) => socket.destroyed)).toBe(false);
    const ends = sockets.map(closed);
    clock.advance(1);
    await Promise.all(ends);
    expect(sockets.map((socket) => socket.heard).join('')).toBe('');
    const next = dial(gateway.connector.port!);
    await new Promise((resolve) => next.once('connect', resolve));
    next.write('OPTIONS sip:a@b SIP/2.0\r\nContent-Length: 0\r\n\r\n');
    await closed(next);
    expect(gateway.counted('connection_refused')).toBe(1);
  });

  it('is disconnected after 16 KB without a message of ours', async () => {
    const gateway = await start();
    const socket = dial(gateway.connector.port!);
    socket.write(Buffer.alloc(17_000, 'a'));
    await closed(socket);
  });

  it('may complete a TLS handshake, but has five seconds for that too', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tls-'));
    cleanups.push(() => rmSync(folder, { recursive: true }));
    const { certPath, keyPath } = makeCertificate(folder);
    const [cert, key] = [readFileSync(certPath), readFileSync(keyPath)];
    const clock = new ManualClock();
    const gateway = await start({ tlsListen: { port: 0, cert, key } }, clock);
    const port = gateway.connector.tlsPort!;
    const silent = dial(port);
    const secure = connectTls({ socket: dial(port), rejectUnauthorized: false });
    secure.on('error', () => {});
    cleanups.push(() => void secure.destroy());
    await new Promise((resolve) => secure.once('secureConnect', resolve));
    const ends = [closed(silent), closed(secure)];
    clock.advance(5_000);
    await Promise.all(ends);
  });

  it('stays connected once one of its messages belongs to us', async () => {
    const clock = new ManualClock();
    const gateway = await start({}, clock);
    const peer = await ScriptedPeer.start('127.0.0.2');
    cleanups.push(() => peer.stop());
    peer.facing(gateway.connector.port!);
    const uri = `sip:+33123456789@${gateway.uri}`;
    await waitFor('ringing', async () => {
      peer.send('INVITE', uri, { callId: 'c', cseq: 1 });
      await new Promise((resolve) => setTimeout(resolve, 20));
      return peer.statuses('INVITE').includes(180);
    });
    const ringing = await peer.response(180, 'INVITE');
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const socket = dial(gateway.connector.port!);
    const lines = [
      `BYE ${contact} SIP/2.0`,
      'Via: SIP/2.0/TCP h;branch=z9hG4bKx',
      'From: <sip:a@h>;tag=1',
      'To: <sip:b@h>;tag=2',
      'Call-ID: x',
      'CSeq: 1 BYE',
      'Content-Length: 0',
    ];
    socket.write(`${lines.join('\r\n')}\r\n\r\n`);
    await waitFor('an answer', () => socket.heard.startsWith('SIP/2.0 481'));
    clock.advance(6_000);
    socket.write('\r\n\r\n');
    await waitFor('a pong', () => socket.heard.endsWith('\r\n\r\n\r\n'));
  });
});
