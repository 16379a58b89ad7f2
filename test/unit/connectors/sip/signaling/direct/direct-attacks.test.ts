import { connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../../support/wait-for.ts';
import { FakeDns, srv } from '../fake-dns.ts';
import { ScriptedPeer, sdp } from '../scripted-peer.ts';
import { trunkTo } from '../start-connector.ts';
import { DirectScene, dialogOf, ROOMS } from './direct-scene.ts';

const URI = `sip:81234567890.123456@${ROOMS}`;

let scene: DirectScene;
beforeEach(() => {
  scene = new DirectScene();
});
afterEach(() => scene.stop());

describe('an address that is not public', () => {
  it.each([
    ['loopback', '127.0.0.1'],
    ['private', '10.1.2.3'],
    ['link-local', '169.254.169.254'],
    ['IPv6 loopback', '::1'],
    ['a mapped loopback', '::ffff:127.0.0.1'],
    ['unspecified', '0.0.0.0'],
    ['NAT64', '64:ff9b::7f00:1'],
  ])('is not called, whatever records lead there: %s', async (_what, address) => {
    const peer = await scene.peer();
    const service = [srv('inside.example', 1, 0, peer.port)];
    await scene.start(
      { srv: { [`_sip._udp.${ROOMS}`]: service }, addresses: { 'inside.example': [address] } },
      { trunkAllow: [] },
    );
    // The operator's own trunk may use such addresses, a direct call of the same account may not.
    scene.gateway.connector.putTrunk(trunkTo(5_060, { ofOperator: true }));
    const { notes, leg } = scene.dial(URI);
    await notes.waitFor('ended lost');
    await leg.released;
    expect(notes.termination?.reason).toBe(`${ROOMS} cannot be reached`);
    expect(scene.gateway.logs.join()).toContain(`no address of ${ROOMS} is allowed`);
    expect([peer.received, notes.media.opens]).toEqual([[], []]);
  });

  it('is not called after a public one was seen (DNS rebinding)', async () => {
    const peer = await scene.peer();
    const addresses: Record<string, string[]> = { [ROOMS]: ['127.0.0.1'] };
    const service = { [`_sip._udp.${ROOMS}`]: [srv(ROOMS, 1, 0, peer.port)] };
    await scene.start(new FakeDns({ srv: service, addresses }));
    peer.facing(scene.gateway.connector.port!);
    const first = scene.dial(URI);
    peer.answer(await peer.request('INVITE'), 486);
    await first.notes.waitFor('ended remote');
    addresses[ROOMS] = ['127.0.0.2'];
    scene.clock.turn(61_000);
    const second = scene.dial(URI);
    await second.notes.waitFor('ended lost');
    expect(peer.requests('INVITE')).toHaveLength(1);
  });

  it('in a Contact, a Record-Route or an SDP is not followed', async () => {
    const inner = await ScriptedPeer.start('127.0.0.3');
    const peer = await scene.peer();
    await scene.start({
      srv: { [`_sip._udp.${ROOMS}`]: [srv('a', 1, 0, peer.port)] },
      addresses: { a: ['127.0.0.1'], 'inner.example': ['127.0.0.3'] },
    });
    peer.facing(scene.gateway.connector.port!);
    const { notes, leg } = scene.dial(URI);
    const headers = [`Record-Route: <sip:inner.example:${inner.port};lr>`];
    const body = sdp().replace('c=IN IP4 127.0.0.1', 'c=IN IP4 127.0.0.3');
    peer.answer(await peer.request('INVITE'), 200, {
      contact: `sip:x@127.0.0.3:${inner.port}`,
      headers,
      body,
    });
    await notes.waitFor('answered');
    expect(notes.media.config).toMatchObject({ remoteHost: null, remotePort: 0 });
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(inner.received).toEqual([]);
    inner.stop();
  });
});

describe('a stranger', () => {
  async function talking(more: { readonly trunkAllow?: readonly string[] } = {}) {
    const peer = await scene.peer();
    await scene.start(
      {
        srv: { [`_sip._udp.${ROOMS}`]: [srv('a', 1, 0, peer.port)] },
        addresses: { a: ['127.0.0.1'], b: ['127.0.0.9'] },
      },
      more,
    );
    peer.facing(scene.gateway.connector.port!);
    const { notes, leg } = scene.dial(URI);
    const invite = await peer.request('INVITE');
    return { peer, notes, leg, invite, dialog: dialogOf(invite) };
  }

  async function answer({ peer, invite, notes }: Awaited<ReturnType<typeof talking>>): Promise<void> {
    peer.answer(invite, 200, { body: sdp() });
    await notes.waitFor('answered');
    await peer.request('ACK');
  }

  it('who knows all of the dialog gets no answer, and the call goes on', async () => {
    const call = await talking();
    await answer(call);
    const stranger = await scene.peer(undefined, '127.0.0.9');
    const { dialog } = call;
    stranger.send('BYE', dialog.contact, { ...dialog, cseq: 1 });
    stranger.send('INVITE', dialog.contact, { ...dialog, cseq: 2, body: sdp(41_000, { version: 9 }) });
    stranger.send('INFO', dialog.contact, { ...dialog, cseq: 3 });
    stranger.send('OPTIONS', dialog.contact, { callId: 'x', cseq: 1 });
    stranger.send('INVITE', dialog.contact, { callId: 'y', cseq: 1, body: sdp() });
    await waitFor('the requests to be dropped', () => scene.gateway.counted('scanner_dropped') === 5);
    expect([stranger.received, call.notes.log]).toEqual([[], ['answered']]);
    expect(call.notes.media.config).toMatchObject({ remotePort: 40_000 });
    call.peer.send('BYE', dialog.contact, { ...dialog, cseq: 1 });
    await call.notes.waitFor('ended remote');
  });

  it('whose address is that of a trunk gets no further', async () => {
    const call = await talking({ trunkAllow: ['127.0.0.0/8'] });
    await answer(call);
    scene.gateway.connector.putTrunk(
      trunkTo(5_060, { accountId: 'acc_2', host: '127.0.0.9', ofOperator: false }),
    );
    const stranger = await scene.peer(undefined, '127.0.0.9');
    const { dialog } = call;
    let cseq = 0;
    await waitFor('the address to be known', () => {
      stranger.send('OPTIONS', `sip:${scene.gateway.uri}`, { callId: 'probe', cseq: ++cseq });
      return stranger.statuses('OPTIONS').includes(200);
    });
    // The same request, transaction and all, that the far end has sent.
    call.peer.send('INFO', dialog.contact, { ...dialog, cseq: 1, branch: 'z9hG4bKseen' });
    await call.peer.response(200, 'INFO');
    stranger.send('INFO', dialog.contact, { ...dialog, cseq: 1, branch: 'z9hG4bKseen' });
    stranger.send('BYE', dialog.contact, { ...dialog, cseq: 2 });
    await waitFor('the requests to be dropped', () => scene.gateway.counted('scanner_dropped') === 2);
    expect(stranger.statuses('BYE').concat(stranger.statuses('INFO'))).toEqual([]);
    expect(call.notes.log).toEqual(['answered']);
  });

  it('may answer only what he was asked', async () => {
    const call = await talking();
    const stranger = await scene.peer(undefined, '127.0.0.9');
    const text = call.peer.received[0]!.text.replace(/branch=[^;\r]+/, 'branch=z9hG4bKguessed');
    const copied = text.split('\r\n').filter((line) => /^(via|from|to|call-id|cseq):/i.test(line));
    stranger.sendText(['SIP/2.0 603 Decline', ...copied, '', ''].join('\r\n'));
    await waitFor('the answer to be dropped', () => scene.gateway.counted('scanner_dropped') === 1);
    expect(call.notes.log).toEqual([]);
  });

  it('over TCP is disconnected after the first message', async () => {
    const call = await talking();
    await answer(call);
    const socket = connect({
      host: '127.0.0.1',
      port: scene.gateway.connector.port!,
      localAddress: '127.0.0.9',
    });
    socket.on('error', () => {});
    const { contact, callId, toTag } = call.dialog;
    socket.write(
      [
        `BYE ${contact} SIP/2.0`,
        'Via: SIP/2.0/TCP 127.0.0.9:5060;branch=z9hG4bKtcp',
        'From: <sip:x@127.0.0.9>;tag=peer',
        `To: <sip:x@127.0.0.1>;tag=${toTag}`,
        `Call-ID: ${callId}`,
        'CSeq: 9 BYE',
        'Content-Length: 0',
        '',
        '',
      ].join('\r\n'),
    );
    await waitFor('the connection to close', () => socket.closed);
    expect(call.notes.log).toEqual(['answered']);
  });

  it('whom the far end has named as the next hop may speak in the dialog', async () => {
    const call = await talking({ trunkAllow: ['127.0.0.0/8'] });
    const next = await scene.peer(undefined, '127.0.0.9');
    call.peer.answer(call.invite, 200, { contact: `sip:next@127.0.0.9:${next.port}`, body: sdp() });
    await next.request('ACK');
    await call.notes.waitFor('answered');
    next.send('BYE', call.dialog.contact, { ...call.dialog, cseq: 1 });
    await call.notes.waitFor('ended remote');
  });
});

describe('the far end', () => {
  it('cannot ring anybody over the connection of a call', async () => {
    const peer = await scene.peer(scene.tcp());
    await scene.start({
      srv: { [`_sip._tcp.${ROOMS}`]: [srv('a', 1, 0, peer.port)] },
      addresses: { a: ['127.0.0.1'] },
    });
    const { notes } = scene.dial(URI);
    const invite = await peer.request('INVITE');
    peer.answer(invite, 200, { body: sdp() });
    await notes.waitFor('answered');
    const { contact } = dialogOf(invite);
    peer.send('INVITE', contact, { callId: 'other', cseq: 1, body: sdp() });
    await peer.response(404, 'INVITE');
    peer.send('INVITE', 'sip:+33123456789@gateway.example', { callId: 'another', cseq: 1, body: sdp() });
    await peer.response(404, 'INVITE');
    peer.send('OPTIONS', contact, { callId: 'ping', cseq: 1 });
    await peer.response(200, 'OPTIONS');
    expect([scene.gateway.answerer.calls, notes.log]).toEqual([[], ['answered']]);
  });

  it('is reached by no more than 64 routes that have ended', async () => {
    const wire = scene.tcp();
    const peer = await scene.peer(wire);
    await scene.start({
      srv: { [`_sip._tcp.${ROOMS}`]: [srv('a', 1, 0, peer.port)] },
      addresses: { a: ['127.0.0.1'] },
    });
    for (let call = 0; call < 70; call += 1) {
      const { leg } = scene.dial(URI);
      peer.answer(await peer.request('INVITE'), 486);
      await leg.released;
    }
    await waitFor('the oldest to be closed', () => wire.sockets.filter(({ closed }) => closed).length === 6);
    scene.clock.turn(32_000);
    await waitFor('the others to be closed', () => wire.sockets.every(({ closed }) => closed));
  });
});
