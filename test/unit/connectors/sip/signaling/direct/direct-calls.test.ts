import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../../support/wait-for.ts';
import { srv } from '../fake-dns.ts';
import { type ScriptedPeer, sdp } from '../scripted-peer.ts';
import { trunkTo } from '../start-connector.ts';
import { contactOf, DirectScene, dialogOf, type KeyPair, ROOMS } from './direct-scene.ts';

const HERE = { [ROOMS]: ['127.0.0.1'], a: ['127.0.0.1'] };
const URI = `sip:81234567890.123456@${ROOMS}`;

let scene: DirectScene;
beforeEach(() => {
  scene = new DirectScene();
});
afterEach(() => scene.stop());

describe('a call without a trunk', () => {
  it('over UDP rings, is answered, is put on hold by the far end, and ends with its BYE', async () => {
    const peer = await scene.peer();
    await scene.start({ srv: { '_sip._udp.rooms.example': [srv('a', 1, 0, peer.port)] }, addresses: HERE });
    peer.facing(scene.gateway.connector.port!);
    const { leg, notes } = scene.dial(URI);
    const invite = await peer.request('INVITE');
    expect(invite.uri).toBe(URI);
    expect(invite.headers.from).toMatchObject({ name: '"A"', uri: 'sip:agent@127.0.0.1' });
    peer.answer(invite, 180);
    peer.answer(invite, 200, { body: sdp() });
    await notes.waitFor('answered');
    await peer.request('ACK');
    const dialog = dialogOf(invite);
    const body = sdp(40_000, { direction: 'sendonly', version: 2 });
    peer.send('INVITE', dialog.contact, { ...dialog, cseq: 1, body });
    expect((await peer.response(200, 'INVITE')).content).toContain('a=recvonly');
    peer.send('ACK', dialog.contact, { ...dialog, cseq: 1 });
    peer.send('BYE', dialog.contact, { ...dialog, cseq: 2 });
    await peer.response(200, 'BYE');
    await notes.waitFor('ended remote');
    await leg.released;
    expect(notes.log).toEqual(['ringing', 'answered', 'held', 'ended remote']);
    // The peer may have missed the answer to its BYE.
    peer.send('BYE', dialog.contact, { ...dialog, cseq: 2 });
    await peer.response(200, 'BYE');
  });

  it('over TCP, and ends with our BYE on the same connection', async () => {
    const wire = scene.tcp();
    const peer = await scene.peer(wire);
    await scene.start({ srv: { '_sip._tcp.rooms.example': [srv('a', 1, 0, peer.port)] }, addresses: HERE });
    const { leg, notes } = scene.dial(URI);
    const invite = await peer.request('INVITE');
    expect(contactOf(invite)).toMatch(/;transport=tcp$/);
    expect(invite.headers.via[0]?.protocol).toBe('TCP');
    peer.answer(invite, 200, { body: sdp() });
    await notes.waitFor('answered');
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(wire.sockets).toHaveLength(1);
    // As long as the peer may repeat something, the route stays; then its connection is closed.
    expect(wire.sockets[0]!.readyState).toBe('open');
    scene.clock.turn(32_000);
    await waitFor('the connection to close', () => wire.sockets[0]!.closed);
  });

  describe('over TLS', () => {
    let rooms: KeyPair;

    async function dialledOver(target: string, pair: KeyPair, trusted: KeyPair, name = ROOMS) {
      const wire = scene.tls(pair);
      const peer = await scene.peer(wire);
      const records = { srv: { [`_sips._tcp.${name}`]: [srv('a', 1, 0, peer.port)] }, addresses: HERE };
      await scene.start(records, { tlsTrust: { ca: trusted.cert } });
      return { peer, wire, ...scene.dial(target) };
    }

    it('accepts a certificate for the host that was dialled, wherever its records lead', async () => {
      rooms = scene.certificate(`DNS:${ROOMS}`);
      const { peer, notes, leg } = await dialledOver(URI, rooms, rooms);
      const invite = await peer.request('INVITE');
      expect(contactOf(invite)).toMatch(/^sip:.*;transport=tls$/);
      peer.answer(invite, 200, { body: sdp() });
      await notes.waitFor('answered');
      const dialog = dialogOf(invite);
      peer.send('BYE', dialog.contact, { ...dialog, cseq: 1 });
      await notes.waitFor('ended remote');
      await leg.released;
    });

    it('is all that a sips URI may use, and its Contact is one too', async () => {
      rooms = scene.certificate(`URI:sip:${ROOMS},DNS:elsewhere.example`);
      const { peer } = await dialledOver(`sips:1@${ROOMS}`, rooms, rooms);
      const invite = await peer.request('INVITE');
      expect([invite.uri, contactOf(invite)]).toEqual([
        `sips:1@${ROOMS}`,
        expect.stringMatching(/^sips:[0-9a-f]{32}@127\.0\.0\.1:\d+$/),
      ]);
    });

    it.each([
      ['the name of the server', 'DNS:a'],
      ['another SIP domain, whatever else it names', `URI:sip:elsewhere.example,DNS:${ROOMS}`],
      ['a name below the host', `DNS:sip.${ROOMS}`],
      ['the address', 'IP:127.0.0.1'],
    ])('refuses a certificate for %s', async (_what, names) => {
      rooms = scene.certificate(names);
      const { peer, notes } = await dialledOver(URI, rooms, rooms);
      await notes.waitFor('ended lost');
      expect(notes.termination).toEqual({ result: 'failed', reason: `TLS with ${ROOMS} failed` });
      expect(peer.received).toEqual([]);
    });

    it('refuses a certificate of an authority that nobody trusts', async () => {
      rooms = scene.certificate(`DNS:${ROOMS}`);
      const { notes } = await dialledOver(URI, rooms, scene.certificate(`DNS:${ROOMS}`));
      await notes.waitFor('ended lost');
      expect(notes.termination?.reason).toBe(`TLS with ${ROOMS} failed`);
    });

    it('is preferred. When nobody listens, TCP is tried, then UDP', async () => {
      rooms = scene.certificate(`DNS:${ROOMS}`);
      const tls = await scene.peer(scene.tls(rooms));
      const tcp = await scene.peer(scene.tcp());
      const udp = await scene.peer();
      const at = ({ port }: ScriptedPeer) => [srv('a', 1, 0, port)];
      const services = {
        '_sip._udp.rooms.example': at(udp),
        '_sip._tcp.rooms.example': at(tcp),
        '_sips._tcp.rooms.example': at(tls),
      };
      await scene.start({ srv: services, addresses: HERE }, { tlsTrust: { ca: rooms.cert } });
      udp.facing(scene.gateway.connector.port!);
      scene.dial(URI);
      await tls.request('INVITE');
      tls.stop();
      const { notes } = scene.dial(URI);
      tcp.answer(await tcp.request('INVITE'), 503);
      const invite = await udp.request('INVITE');
      expect([invite.headers.via[0]?.protocol, contactOf(invite)]).toEqual([
        'UDP',
        expect.not.stringContaining('transport'),
      ]);
      udp.answer(invite, 200, { body: sdp() });
      await notes.waitFor('answered');
    });

    it('that fails is followed by nothing in the clear', async () => {
      rooms = scene.certificate('DNS:wrong.example');
      const tls = await scene.peer(scene.tls(rooms));
      const udp = await scene.peer();
      const services = {
        '_sip._udp.rooms.example': [srv('a', 1, 0, udp.port)],
        '_sips._tcp.rooms.example': [srv('a', 1, 0, tls.port)],
      };
      await scene.start({ srv: services, addresses: HERE }, { tlsTrust: { ca: rooms.cert } });
      const { notes } = scene.dial(URI);
      await notes.waitFor('ended lost');
      expect([tls.received, udp.received]).toEqual([[], []]);
    });
  });

  it.each([
    [401, 'WWW-Authenticate'],
    [407, 'Proxy-Authenticate'],
  ])('fails when the far end answers %d, because it has no password', async (status, header) => {
    const peer = await scene.peer();
    await scene.start({ srv: { '_sip._udp.rooms.example': [srv('a', 1, 0, peer.port)] }, addresses: HERE });
    peer.facing(scene.gateway.connector.port!);
    const { notes, leg } = scene.dial(URI);
    const headers = [`${header}: Digest realm="rooms", nonce="n"`];
    peer.answer(await peer.request('INVITE'), status, { headers });
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({
      result: 'failed',
      reason: 'the far end demands a user name and password, and a call without a trunk has none',
    });
    await leg.released;
    expect(peer.requests('INVITE')).toHaveLength(1);
  });

  it('follows a redirection within the host, and none elsewhere', async () => {
    const peer = await scene.peer();
    await scene.start({ srv: { '_sip._udp.rooms.example': [srv('a', 1, 0, peer.port)] }, addresses: HERE });
    peer.facing(scene.gateway.connector.port!);
    const { notes } = scene.dial(URI);
    const headers = [`Contact: <sip:7@evil.example>, <sip:8@${ROOMS};maddr=10.0.0.1>, <sip:9@${ROOMS}>`];
    peer.answer(await peer.request('INVITE'), 302, { contact: 'sip:6@127.0.0.9', headers });
    const again = await peer.request('INVITE');
    expect(again.uri).toBe(`sip:9@${ROOMS}`);
    peer.answer(again, 302, { contact: 'sip:6@127.0.0.9' });
    await notes.waitFor('ended remote');
    expect(notes.termination?.reason).toBe('302 Scripted');
  });

  it('goes over the trunk when the host is that of the trunk', async () => {
    const peer = await scene.peer();
    await scene.start({ srv: { '_sip._udp.rooms.example': [srv('a', 1, 0, peer.port)] }, addresses: HERE });
    peer.facing(scene.gateway.connector.port!);
    scene.gateway.connector.putTrunk(trunkTo(5_060, { host: ROOMS }));
    const { notes } = scene.dial('sip:1@ROOMS.example');
    const { headers } = await peer.request('INVITE');
    expect(headers.from.uri).toMatch(/^sip:\+33100000000@/);
    expect(notes.log).toEqual([]);
  });
});
