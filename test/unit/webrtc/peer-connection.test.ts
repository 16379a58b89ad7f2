import { createSocket } from 'node:dgram';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { classes, Message, methods, parseMessage } from 'werift';
import { type Certificate, makeCertificate } from '../../../src/webrtc/dtls-session.ts';
import { PeerConnection, type PeerObserver } from '../../../src/webrtc/peer-connection.ts';
import { PacketStream } from '../../support/packet-stream.ts';
import { waitFor } from '../../support/wait-for.ts';

let certificate: Certificate;
beforeAll(async () => {
  certificate = await makeCertificate();
});

const opened: PeerConnection[] = [];
afterEach(() => {
  for (const connection of opened.splice(0)) connection.close();
});

/** One end, and what it has reported. */
class End implements PeerObserver {
  connection!: PeerConnection;
  isConnected = false;
  failure: string | null = null;
  readonly payloads: string[] = [];
  readonly headers: { sequence: number; timestamp: number; marker: boolean }[] = [];

  static async open(isOffering: boolean, shown = certificate): Promise<End> {
    const end = new End();
    end.connection = await PeerConnection.open(
      { iceServers: [], certificate: shown, observer: end },
      isOffering,
    );
    opened.push(end.connection);
    return end;
  }

  candidate(): void {}
  connected(): void {
    this.isConnected = true;
  }
  failed(reason: string): void {
    this.failure = reason;
  }
  rtp({
    bytes,
    payloadOffset,
    payloadLength,
    sequenceNumber: sequence,
    timestamp,
    marker,
  }: Parameters<PeerObserver['rtp']>[0]): void {
    this.payloads.push(Buffer.from(bytes).toString('hex', payloadOffset, payloadOffset + payloadLength));
    this.headers.push({ sequence, timestamp, marker });
  }
}

/** The speaker offers. `change` is what is done to its offer on the way. */
async function connect(speaker: End, listener: End, change = (offer: string) => offer): Promise<void> {
  speaker.connection.accept(listener.connection.answer(change(speaker.connection.offer())));
}

describe('a peer connection', () => {
  it('carries packets as they are, in numbers of its own', async () => {
    const [speaker, listener] = await Promise.all([End.open(true), End.open(false)]);
    await connect(speaker, listener);
    await waitFor('both', () => speaker.isConnected && listener.isConnected);
    const stream = new PacketStream({ ssrc: 7, toneHz: 440, codec: 'opus' });
    const sent = Array.from({ length: 5 }, () => stream.next());
    for (const bytes of sent) speaker.connection.send({ bytes, start: 0, end: bytes.length });
    await waitFor('the packets', () => listener.payloads.length === sent.length);
    expect(listener.payloads).toEqual(sent.map((bytes) => Buffer.from(bytes).toString('hex', 12)));
    const [first] = listener.headers;
    expect(listener.headers.map(({ sequence }) => sequence)).toEqual(
      [0, 1, 2, 3, 4].map((n) => first!.sequence + n),
    );
    const timestamps = sent.map((bytes) => Buffer.from(bytes).readUInt32BE(4));
    expect(listener.headers.map(({ timestamp }) => timestamp)).toEqual(timestamps);
  });

  it('drops what it is given before it is connected, and after it was closed', async () => {
    const speaker = await End.open(true);
    const bytes = new PacketStream({ ssrc: 7, toneHz: 440, codec: 'opus' }).next();
    speaker.connection.send({ bytes, start: 0, end: bytes.length });
    speaker.connection.close();
    speaker.connection.close();
    speaker.connection.send({ bytes, start: 0, end: bytes.length });
    speaker.connection.addCandidate('candidate:1 1 udp 1 127.0.0.1 9 typ host');
    expect(speaker.failure).toBeNull();
  });

  it('refuses somebody with another certificate than was announced', async () => {
    const other = await makeCertificate();
    const [speaker, listener] = await Promise.all([End.open(true), End.open(false)]);
    const { value } = other.fingerprint;
    await connect(speaker, listener, (offer) => offer.replace(/sha-256 \S+/, `sha-256 ${value}`));
    await waitFor('the refusal', () => listener.failure);
    expect(listener.failure).toBe('the certificate has another fingerprint');
    expect(listener.isConnected).toBe(false);
  });

  it.each([
    ['as the server', true],
    ['as the client', false],
  ])('refuses somebody who shows a certificate without having its key, %s', async (_as, isOffering) => {
    const { keyPem } = await makeCertificate();
    const thief = await End.open(isOffering, { ...certificate, keyPem });
    const victim = await End.open(!isOffering);
    await (isOffering ? connect(thief, victim) : connect(victim, thief));
    await waitFor('the refusal', () => victim.failure);
    expect(victim.failure).toBe('the handshake is not signed by the certificate');
    expect(victim.isConnected).toBe(false);
  });

  it('takes candidates before the description, and ignores what is of no use', async () => {
    const [speaker, listener] = await Promise.all([End.open(true), End.open(false)]);
    const offer = speaker.connection.offer();
    const [own] = /candidate:.* typ host/.exec(offer) ?? [];
    for (const candidate of ['', 'nonsense', 'candidate:', `${own} `.replace('udp', 'tcp'), ...STRANGE, own!])
      listener.connection.addCandidate(candidate);
    speaker.connection.accept(listener.connection.answer(offer.replaceAll(/a=candidate.*\r\n/g, '')));
    await waitFor('both', () => speaker.isConnected && listener.isConnected);
  });
});

it('answers no request that is not signed with its password', async () => {
  const { connection } = await End.open(true);
  const offer = connection.offer();
  const read = (name: string) => new RegExp(`a=${name}:(\\S+)`).exec(offer)![1]!;
  const [, address = '', port] = /candidate:(?:\S+ ){4}(\S+) (\d+) typ host/.exec(offer)!;
  const socket = createSocket('udp4');
  const answers: string[] = [];
  socket.on('message', (data) => void answers.push(parseMessage(data)!.transactionId.toString('hex')));
  const request = (transaction: string, password: string | null): void => {
    const message = new Message(methods.BINDING, classes.REQUEST, Buffer.from(transaction, 'hex'));
    message.setAttribute('USERNAME', `${read('ice-ufrag')}:stranger`).setAttribute('PRIORITY', 1);
    message.setAttribute('ICE-CONTROLLED', 1n);
    if (password !== null) message.addMessageIntegrity(Buffer.from(password)).addFingerprint();
    socket.send(message.bytes, Number(port), address);
  };
  request('aa'.repeat(12), null);
  request('bb'.repeat(12), 'guessed');
  request('cc'.repeat(12), read('ice-pwd'));
  await waitFor('an answer', () => answers.length > 0);
  socket.close();
  expect(answers).toEqual(['cc'.repeat(12)]);
});

const STRANGE = [
  'candidate:1 1 udp 1 some.local 9 typ host',
  'candidate:1 1 udp 1 ::1 9 typ host',
  'candidate:1 1 udp 1 999.0.0.1 9 typ host',
  'candidate:1 1 udp 1 127.0.0.1 0 typ host',
  'candidate:1 1 udp 1 127.0.0.1 70000 typ host',
  'candidate:1 2 udp 1 127.0.0.1 9 typ host',
  'candidate:1 1 udp 1 127.0.0.1 9 typ prflx',
  `candidate:1 1 udp 1 127.0.0.1 9 typ host ${'x'.repeat(1_000)}`,
];
