import { readFileSync } from 'node:fs';
import { setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { IceServer } from '../../src/media/ice.ts';
import { type Certificate, makeCertificate } from '../../src/webrtc/dtls-session.ts';
import { chooseIceServers } from '../../src/webrtc/ice-servers.ts';
import { PeerConnection, type PeerObserver } from '../../src/webrtc/peer-connection.ts';
import { allocateRelay } from '../../src/webrtc/turn-relay.ts';
import { Coturn } from '../support/coturn.ts';
import { Janus } from '../support/janus.ts';
import { JanusSession } from '../support/janus-room.ts';
import { PacketStream } from '../support/packet-stream.ts';
import { requirePeer } from '../support/require-peer.ts';
import { waitFor, within } from '../support/wait-for.ts';

const FEED = 1;
const PACKETS = 50;
const FRAME_MS = 20;

describe.skipIf(requirePeer('janus', 'turnserver', 'openssl'))(
  'a peer connection over coturn to Janus',
  () => {
    let janus: Janus;
    let turn: Coturn;
    let certificate: Certificate;

    beforeAll(async () => {
      [janus, turn, certificate] = await Promise.all([Janus.start(), Coturn.start(), makeCertificate()]);
    });

    afterAll(async () => {
      await janus?.stop();
      await turn?.stop();
    });

    /** A connection whose media is relayed, and what came of it. */
    async function connect(session: JanusSession, server: IceServer, isOffering: boolean) {
      const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
      const payloads: string[] = [];
      const observer: PeerObserver = {
        candidate: ({ candidate }) => void handle.trickle({ candidate, sdpMLineIndex: 0 }),
        connected: resolve,
        failed: (reason) => reject(new Error(reason)),
        rtp: ({ bytes, payloadOffset, payloadLength }) =>
          void payloads.push(
            Buffer.from(bytes).toString('hex', payloadOffset, payloadOffset + payloadLength),
          ),
      };
      const deps = { iceServers: [server], relayOnly: true, certificate, observer };
      const connection = await PeerConnection.open(deps, isOffering);
      onTestFinished(() => connection.close());
      const handle = await session.attach(({ candidate }) => connection.addCandidate(candidate));
      return { connection, handle, connected: within('the connection', connected), payloads };
    }

    async function relay(server: IceServer): Promise<void> {
      const session = await JanusSession.open(janus);
      onTestFinished(() => session.close());
      const near = await connect(session, server, true);
      const room = await near.handle.createRoom();
      near.connection.accept(await near.handle.publish(room, FEED, near.connection.offer()));
      await near.connected;
      const far = await connect(session, server, false);
      const offer = await waitFor('the feed', () => far.handle.subscribe(room, FEED).catch(() => null));
      await far.handle.answer(far.connection.answer(offer));
      await far.connected;
      const stream = new PacketStream({ ssrc: 1, toneHz: 440, codec: 'opus' });
      const sent = new Set<string>();
      const speaking = setInterval(() => {
        const bytes = stream.next();
        sent.add(Buffer.from(bytes).toString('hex', 12));
        near.connection.send({ bytes, start: 0, end: bytes.length });
      }, FRAME_MS);
      onTestFinished(() => clearInterval(speaking));
      await waitFor('the packets', () => far.payloads.length >= PACKETS);
      for (const payload of far.payloads) expect(sent).toContain(payload);
    }

    it.each(['udp', 'tcp'] as const)('speaks and hears by %s', async (transport) => {
      await relay(turn.server(transport));
    });

    it('refuses a server by TLS whose certificate it does not trust', async () => {
      const session = await JanusSession.open(janus);
      onTestFinished(() => session.close());
      const candidates: string[] = [];
      const observer = { candidate: () => candidates.push('any'), connected() {}, failed() {}, rtp() {} };
      const deps = { iceServers: [turn.server('tls')], relayOnly: true, certificate, observer };
      const connection = await PeerConnection.open(deps, true);
      onTestFinished(() => connection.close());
      connection.offer();
      await waitFor('coturn to see the refusal', () =>
        /unknown ca|certificate unknown|TLS\/TCP socket/i.test(turn.output),
      );
      expect(candidates).toEqual([]);
    });

    it('speaks and hears by TLS with a server that it trusts', async () => {
      setDefaultCACertificates([readFileSync(turn.certificate.certPath, 'utf8')]);
      onTestFinished(() => setDefaultCACertificates([]));
      await relay(turn.server('tls'));
      await relay({ ...turn.server('tls'), serverName: 'localhost' });
    });

    it('refuses a server by TLS with the certificate of another one', async () => {
      setDefaultCACertificates([readFileSync(turn.certificate.certPath, 'utf8')]);
      onTestFinished(() => setDefaultCACertificates([]));
      const other = { ...turn.server('tls'), serverName: 'turn.example' };
      const [asked] = chooseIceServers([other]).turn;
      await expect(allocateRelay(asked!)).rejects.toThrow(/altnames|does not match/i);
    });

    it('falls back to a server by TCP when the one by UDP does not answer', async () => {
      const dead: IceServer = { urls: ['turn:127.0.0.1:9'], username: 'a', credential: 'b' };
      const tcp = turn.server('tcp');
      const session = await JanusSession.open(janus);
      onTestFinished(() => session.close());
      const candidates: string[] = [];
      const observer = { candidate: () => candidates.push('relay'), connected() {}, failed() {}, rtp() {} };
      const deps = { iceServers: [dead, tcp], relayOnly: true, certificate, observer };
      const connection = await PeerConnection.open(deps, true);
      onTestFinished(() => connection.close());
      connection.offer();
      await waitFor('the relay', () => candidates.length === 1);
    });
  },
);
