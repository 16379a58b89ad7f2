import { describe, expect, it } from 'vitest';
import { tortureMessages } from '../../../../../support/torture-messages.ts';
import { waitFor } from '../../../../../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../scripted-peer.ts';
import { NUMBER, trunkTo } from '../start-connector.ts';
import { InboundScene } from './inbound-scene.ts';

describe('requests from a trunk and from strangers', () => {
  const scene = InboundScene.forEach();

  it('checks Require, Max-Forwards, methods and dialogs', async () => {
    scene.invite('g1', sdp(), ['Require: 100rel, precondition, magic']);
    const bad = await scene.peer.response(420, 'INVITE');
    expect(bad.headers.unsupported).toBe('precondition, magic');
    scene.peer.send('OPTIONS', scene.uri, { callId: 'g2', cseq: 1, headers: ['Proxy-Require: foo'] });
    await scene.peer.response(420, 'OPTIONS');
    scene.peer.send('MESSAGE', scene.uri, { callId: 'g3', cseq: 1 });
    const refused = await scene.peer.response(405, 'MESSAGE');
    expect(refused.headers.allow).toBe('INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, PRACK, REFER');
    scene.peer.send('INVITE', scene.uri, {
      callId: 'g4',
      cseq: 1,
      headers: ['Content-Type: text/plain'],
      body: 'hello',
    });
    await scene.peer.response(415, 'INVITE');
    scene.peer.send('BYE', scene.uri, { callId: 'g5', cseq: 1, toTag: 'nobody' });
    await scene.peer.response(481, 'BYE');
    scene.peer.send('PRACK', scene.uri, { callId: 'g7', cseq: 1 });
    await scene.peer.response(481, 'PRACK');
    scene.invite('g6', sdp(), [], 'http://example.com');
    await scene.peer.response(416, 'INVITE');
  });

  it('sends strangers no answer to anything', async () => {
    const stranger = await ScriptedPeer.start('127.0.0.9');
    stranger.facing(scene.gateway.connector.port!);
    for (const method of ['OPTIONS', 'INVITE', 'REGISTER', 'BYE']) {
      stranger.send(method, scene.uri, { callId: method, cseq: 1, toTag: 'x' });
    }
    await waitFor('all to be dropped', () => scene.gateway.counted('scanner_dropped') === 4);
    expect(stranger.received).toEqual([]);
    expect(scene.gateway.answerer.calls).toHaveLength(0);
    stranger.stop();
  });

  it('stops reading a stranger that floods our Contact with invalid messages', async () => {
    scene.invite('known');
    const ringing = await scene.peer.response(180, 'INVITE');
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const stranger = await ScriptedPeer.start('127.0.0.9');
    stranger.facing(scene.gateway.connector.port!);
    for (let cseq = 1; cseq <= 60; cseq += 1)
      stranger.sendText(`OPTIONS ${contact} SIP/2.0\r\nVia: x\r\n\r\n`);
    await waitFor('the flood to be cut', () => scene.gateway.counted('rate_limited') >= 36);
    expect(scene.gateway.counted('scanner_dropped')).toBeLessThanOrEqual(24);
    expect(stranger.received).toEqual([]);
    stranger.stop();
  });

  it('survives every malformed message, and still accepts calls', async () => {
    for (const { bytes } of tortureMessages(scene.uri, scene.peer.port)) scene.peer.sendText(bytes);
    scene.invite('after');
    await waitFor('the call after', () => scene.gateway.answerer.calls.length > 0);
    await waitFor('ringing', () =>
      scene.peer.received.some(({ message }) => message.headers['call-id'] === 'after'),
    );
    expect(scene.gateway.counted('core_error')).toBe(0);
    expect(scene.gateway.counted('malformed_message')).toBeGreaterThan(10);
  });

  it('reads everything that a server at another address sends in its dialogs', async () => {
    scene.invite('many');
    (await scene.gateway.answerer.next()).leg.accept();
    const { contact, call } = await scene.inDialog('many');
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    const server = await ScriptedPeer.start('127.0.0.2');
    server.facing(scene.gateway.connector.port!);
    for (let cseq = 2; cseq < 62; cseq += 1) server.send('INFO', contact, { ...call, cseq });
    await waitFor('answers', () => server.statuses('INFO').length === 60);
    expect(scene.gateway.counted('rate_limited')).toBe(0);
    server.stop();
  });

  it('takes a call that names only the registered Contact as one to the only number', async () => {
    scene.gateway.connector.putTrunk(trunkTo(scene.peer.port, { register: true }));
    const register = await scene.peer.request('REGISTER');
    scene.peer.answer(register, 200);
    const contact = (register.headers.contact as { uri: string }[])[0]!.uri;
    scene.invite('named', sdp(), [], contact);
    expect((await scene.gateway.answerer.next()).call).toMatchObject({
      target: 'sip:+33123456789@127.0.0.1',
    });
    scene.gateway.connector.putNumber({ ...NUMBER, didId: 'did_2', number: '+33199999999' });
    scene.invite('unclear', sdp(), [], contact);
    await scene.peer.response(404, 'INVITE');
  });

  it('never gives an account a call that came to another account’s Contact', async () => {
    scene.gateway.connector.putTrunk(trunkTo(scene.peer.port, { register: true }));
    scene.gateway.connector.putTrunk(
      trunkTo(scene.peer.port, { accountId: 'acc_2', inboundToken: 'f'.repeat(32) }),
    );
    scene.gateway.connector.removeNumber('did_1');
    scene.gateway.connector.putNumber({ ...NUMBER, accountId: 'acc_2' });
    const register = await scene.peer.request('REGISTER');
    scene.peer.answer(register, 200);
    const contact = (register.headers.contact as { uri: string }[])[0]!.uri;
    scene.invite('diverted', sdp(), [`Diversion: <sip:${NUMBER.number}@127.0.0.1>`], contact);
    await scene.peer.response(404, 'INVITE');
    expect(scene.gateway.answerer.calls).toHaveLength(0);
  });

  it('treats a call that a proxy forked to it twice as one call', async () => {
    const call = { callId: 'forked', cseq: 1, body: sdp() };
    scene.peer.send('INVITE', scene.uri, { ...call, branch: 'z9hG4bKone' });
    await scene.peer.response(180, 'INVITE');
    scene.peer.send('INVITE', scene.uri, { ...call, branch: 'z9hG4bKother' });
    await scene.peer.response(482, 'INVITE');
    expect(scene.gateway.answerer.calls).toHaveLength(1);
    scene.peer.send('INVITE', scene.uri, { ...call, branch: 'z9hG4bKthird', fromTag: 'else' });
    await waitFor('another call', () => scene.gateway.answerer.calls.length === 2);
  });
});
