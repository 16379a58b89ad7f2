import { connect as connectTls, type TLSSocket } from 'node:tls';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { waitFor } from '../../../../../support/wait-for.ts';
import { FakeDns, srv } from '../fake-dns.ts';
import { sdp } from '../scripted-peer.ts';
import { contactOf, DirectScene, dialogOf, ROOMS } from './direct-scene.ts';

const URI = `sip:81234567890@${ROOMS}`;
const UDP = `_sip._udp.${ROOMS}`;
const TLS = `_sips._tcp.${ROOMS}`;
const HERE = { a: ['127.0.0.1'], b: ['127.0.0.1'] };

let scene: DirectScene;
beforeEach(() => {
  scene = new DirectScene();
});
afterEach(() => scene.stop());

/** Two servers over UDP, the first of which is to be asked first. Nobody is to be asked at `third`, the host's own address. */
async function twoServers() {
  const [first, second, third] = [await scene.peer(), await scene.peer(), await scene.peer()] as const;
  const dns = new FakeDns({
    srv: { [UDP]: [srv('a', 1, 0, first.port), srv('b', 2, 0, second.port)] },
    addresses: { ...HERE, [ROOMS]: ['127.0.0.1'] },
  });
  await scene.start(dns);
  for (const peer of [first, second, third]) peer.facing(scene.gateway.connector.port!);
  return { first, second, third, dns };
}

describe('several servers of a host', () => {
  it('are tried in their order, each refusal is acknowledged, and the host’s own address is not tried after them', async () => {
    const { first, second, third, dns } = await twoServers();
    const { notes, leg } = scene.dial(URI);
    const invites = [];
    for (const peer of [first, second]) {
      const invite = await peer.request('INVITE');
      peer.answer(invite, 503);
      await peer.request('ACK');
      invites.push(invite);
    }
    await leg.released;
    expect(notes.termination).toEqual({ result: 'failed', reason: '503 Scripted' });
    expect([third.received, dns.asked.includes(`A ${ROOMS}`)]).toEqual([[], false]);
    const branches = invites.map(({ headers }) => headers.via[0]?.params.branch);
    expect(new Set(branches).size).toBe(2);
  });

  it('are asked from the first one on again by the next call', async () => {
    const { first, second } = await twoServers();
    scene.dial(URI);
    first.answer(await first.request('INVITE'), 503);
    second.answer(await second.request('INVITE'), 486);
    scene.dial(URI);
    await first.request('INVITE');
  });

  it('are tried when one is silent for 32 s', async () => {
    const { first, second } = await twoServers();
    // Timer B is sip.js' own.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
    onTestFinished(() => void vi.useRealTimers());
    const { notes } = scene.dial(URI);
    await first.request('INVITE');
    vi.advanceTimersByTime(32_000);
    second.answer(await second.request('INVITE'), 200, { body: sdp() });
    await notes.waitFor('answered');
  });

  it('are not tried after the call was given up', async () => {
    const { first, second } = await twoServers();
    const { notes, leg } = scene.dial(URI);
    await first.request('INVITE');
    leg.hangUp();
    scene.clock.turn(32_000);
    scene.clock.turn(32_000);
    await leg.released;
    expect([second.received, notes.log]).toEqual([[], ['ended local']]);
  });

  it('get a CANCEL, and the ACK after it, where the INVITE went', async () => {
    const { first, second } = await twoServers();
    const { leg } = scene.dial(URI);
    const invite = await first.request('INVITE');
    first.answer(invite, 180);
    await waitFor('the ringing', () => scene.gateway.counted('unmatched_response') === 0);
    leg.hangUp();
    const cancel = await first.request('CANCEL');
    expect(cancel.headers.via[0]?.params.branch).toBe(invite.headers.via[0]?.params.branch);
    first.answer(cancel, 200);
    first.answer(invite, 487);
    await first.request('ACK');
    await leg.released;
    expect(second.received).toEqual([]);
  });

  it.each(['udp', 'tcp'])('have addresses that cannot be reached, over %s', async (protocol) => {
    const peer = await scene.peer(protocol === 'tcp' ? scene.tcp() : undefined);
    // The peer listens for IPv4 only.
    const addresses = { a: ['::1', '127.0.0.1'] };
    const services = { [`_sip._${protocol}.${ROOMS}`]: [srv('a', 1, 0, peer.port)] };
    await scene.start({ srv: services, addresses }, { trunkAllow: ['127.0.0.1', '::1'] });
    if (protocol === 'udp') peer.facing(scene.gateway.connector.port!);
    scene.dial(URI);
    await peer.request('INVITE');
  });
});

describe('a server over TLS', () => {
  async function answered(contact: string, headers: readonly string[] = [], more = {}) {
    const pair = scene.certificate(`DNS:${ROOMS}`);
    const wire = scene.tls(pair);
    const peer = await scene.peer(wire);
    const records = { srv: { [TLS]: [srv('a', 1, 0, peer.port)] }, addresses: HERE };
    await scene.start(records, { tlsTrust: { ca: pair.cert }, ...more });
    const { notes, leg } = scene.dial(`sip:81234567890@Rooms.Example.`);
    const invite = await peer.request('INVITE');
    peer.answer(invite, 200, { contact, headers, body: sdp() });
    return { peer, wire, pair, notes, leg, invite };
  }

  it('is asked for by the name that was dialled, without its last dot', async () => {
    const { wire } = await answered('sip:x@127.0.0.1;transport=tls');
    expect((wire.sockets[0] as TLSSocket).servername).toBe(ROOMS);
  });

  it('gets ACK and BYE on its connection, wherever Contact and Record-Route lead', async () => {
    const { peer, wire, leg, notes } = await answered('sip:x@unknown.example:5071;transport=tls', [
      'Record-Route: <sip:elsewhere.example;transport=tcp;lr>, <sip:127.0.0.1:9;lr>',
    ]);
    expect((await peer.request('ACK')).uri).toBe('sip:x@unknown.example:5071;transport=tls');
    await notes.waitFor('answered');
    leg.hangUp();
    const bye = await peer.request('BYE');
    expect(bye.headers.route?.map(({ uri }) => uri.host)).toEqual(['127.0.0.1', 'elsewhere.example']);
    peer.answer(bye, 200);
    await leg.released;
    expect(wire.sockets).toHaveLength(1);
  });

  it('may call back to the port where the gateway listens for TLS, which Contact names', async () => {
    const listen = scene.certificate('DNS:gateway.example');
    const { invite, notes } = await answered('sip:x@127.0.0.1;transport=tls', [], {
      tlsListen: { port: 0, ...listen },
    });
    await notes.waitFor('answered');
    const port = scene.gateway.connector.tlsPort!;
    expect(contactOf(invite)).toMatch(new RegExp(`^sip:[0-9a-f]{32}@127\\.0\\.0\\.1:${port};transport=tls$`));
    bye(dialogOf(invite), 'TLS', connectTls({ port, rejectUnauthorized: false }));
    await notes.waitFor('ended remote');
  });

  it('may not hang up in the clear', async () => {
    const { invite, notes } = await answered('sip:x@127.0.0.1;transport=tls');
    await notes.waitFor('answered');
    const plain = await scene.peer();
    const dialog = dialogOf(invite);
    plain.send('BYE', dialog.contact, { ...dialog, cseq: 1 });
    await waitFor('the BYE to be dropped', () => scene.gateway.counted('scanner_dropped') === 1);
    expect(notes.log).toEqual(['answered']);
  });
});

/** Sends a BYE over a connection of the peer's own. */
function bye(dialog: ReturnType<typeof dialogOf>, protocol: string, socket: TLSSocket): void {
  socket.on('error', () => {});
  socket.write(
    [
      `BYE ${dialog.contact} SIP/2.0`,
      `Via: SIP/2.0/${protocol} 127.0.0.1;branch=z9hG4bKown`,
      'Max-Forwards: 70',
      'From: <sip:x@127.0.0.1>;tag=peer',
      `To: <sip:x@127.0.0.1>;tag=${dialog.toTag}`,
      `Call-ID: ${dialog.callId}`,
      'CSeq: 1 BYE',
      'Content-Length: 0',
      '',
      '',
    ].join('\r\n'),
  );
}

describe('a call for another platform', () => {
  async function offer(target: string, sampleRateHz: number, codecs: readonly ('PCMU' | 'opus')[]) {
    const peer = await scene.peer();
    await scene.start({ srv: { [UDP]: [srv('a', 1, 0, peer.port)] }, addresses: HERE }, { codecs });
    peer.facing(scene.gateway.connector.port!);
    const { notes } = scene.dialFor({ target, sampleRateHz });
    return { notes, peer, invite: await peer.request('INVITE') };
  }

  it.each([
    [16_000, ['PCMU'], /^m=audio \d+ RTP\/AVP 9 0 101/m],
    [48_000, ['PCMU'], /^m=audio \d+ RTP\/AVP 9 0 101/m],
    [8_000, ['PCMU'], /^m=audio \d+ RTP\/AVP 0 101/m],
    [16_000, ['opus', 'PCMU'], /^m=audio \d+ RTP\/AVP 111 0 /m],
  ] as const)('at %d Hz offers what fills its room, beside %s', async (sampleRateHz, codecs, line) => {
    const { invite, notes } = await offer(URI, sampleRateHz, codecs);
    expect(invite.content).toMatch(line);
    expect(notes.media.opens[0]?.sampleRateHz).toBe(sampleRateHz);
  });

  it('ends as the platform says', async () => {
    const { peer, invite, notes } = await offer(URI, 16_000, ['PCMU']);
    peer.answer(invite, 403);
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result: 'refused', reason: 'no licence' });
  });
});
