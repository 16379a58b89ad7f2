import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { tortureMessages } from '../../../../../support/torture-messages.ts';
import { waitFor } from '../../../../../support/wait-for.ts';
import { ScriptedPeer, sdp } from '../scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, trunkTo } from '../start-connector.ts';

describe('inbound calls', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;
  let uri: string;

  beforeEach(async () => {
    gateway = await ConnectorUnderTest.start();
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    gateway.connector.putNumber(NUMBER);
    uri = `sip:+33123456789@${gateway.uri}`;
    await reachable(peer, uri);
  });

  afterEach(async () => {
    peer.stop();
    await gateway.stop();
  });

  /** The trunk's address is looked up in the background. */
  async function reachable(trunk: ScriptedPeer, target: string): Promise<void> {
    let cseq = 1;
    await waitFor('an answer to OPTIONS', async () => {
      cseq += 1;
      trunk.send('OPTIONS', target, { callId: 'probe', cseq });
      await new Promise((resolve) => setTimeout(resolve, 20));
      return trunk.statuses('OPTIONS').includes(200);
    });
  }

  function invite(callId: string, body = sdp(), headers: readonly string[] = [], target = uri): void {
    peer.send('INVITE', target, { callId, cseq: 1, body, headers });
  }

  async function inDialog(callId: string) {
    const ok = await peer.response(200, 'INVITE');
    const contact = (ok.headers.contact as { uri: string }[])[0]!.uri;
    return { ok, contact, call: { callId, to: uri, toTag: ok.headers.to.params.tag! } };
  }

  it('rings, answers, and is answered with the ACK', async () => {
    invite('c1');
    await peer.response(180, 'INVITE');
    const { call, leg, notes } = await gateway.answerer.next();
    expect(call).toMatchObject({
      caller: '+33611111111',
      target: 'sip:+33123456789@127.0.0.1',
      agentId: 'agt_1',
    });
    leg.accept();
    const { ok, contact, call: dialog } = await inDialog('c1');
    expect(ok.content).toMatch(/m=audio \d+ RTP\/AVP 0 101\r\n/);
    expect(notes.log).toEqual([]);
    peer.send('ACK', contact, { ...dialog, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(notes.log).toEqual(['answered', 'ended local']);
  });

  it('sends no provisional response before an immediate 200, and 100 otherwise', async () => {
    gateway.answerer.answersAtOnce = true;
    invite('c1a');
    await peer.response(200, 'INVITE');
    expect(peer.statuses('INVITE')).toEqual([200]);
    const opened = Promise.withResolvers<void>();
    gateway.answerer.mediaMayOpen = opened.promise;
    invite('c1b');
    await peer.response(100, 'INVITE');
    opened.resolve();
    await waitFor('the second 200', () => {
      const statuses = peer.statuses('INVITE');
      return statuses.lastIndexOf(200) > statuses.indexOf(100);
    });
    expect(peer.statuses('INVITE')).not.toContain(180);
  });

  describe('with ports that are already bound', () => {
    beforeEach(async () => {
      let reserved = 0;
      // The sockets are the fake media's own.
      const reserving = { reserve: () => 1_000_000 + reserved++, clear: () => {}, release: () => {} };
      await gateway.stop();
      gateway = await ConnectorUnderTest.start({ reserving: () => reserving });
      peer.facing(gateway.connector.port!);
      gateway.connector.putTrunk(trunkTo(peer.port));
      gateway.connector.putNumber(NUMBER);
      uri = `sip:+33123456789@${gateway.uri}`;
      await reachable(peer, uri);
      gateway.answerer.answersAtOnce = true;
      await waitFor('bound ports', () => reserved > 0);
    });

    it('answers before the worker has opened its media', async () => {
      const opened = Promise.withResolvers<void>();
      gateway.answerer.mediaMayOpen = opened.promise;
      invite('c1c');
      const { contact, ok, call } = await inDialog('c1c');
      const { notes, leg } = await gateway.answerer.next();
      peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
      await waitFor('the worker to be asked', () => notes.media.opens.length === 1);
      expect(ok.content).toContain(`m=audio ${notes.media.opens[0]!.rtpPort} RTP/AVP`);
      expect(notes.media.configs).toEqual([]);
      expect(notes.log).toEqual([]);
      opened.resolve();
      await notes.waitFor('answered');
      expect(notes.media.config).toMatchObject({ codec: 'PCMU', remotePort: 40_000 });
      leg.hangUp();
      peer.answer(await peer.request('BYE'), 200);
    });

    it('hangs up when the worker cannot open its media after all', async () => {
      gateway.answerer.mediaMayOpen = Promise.reject(new Error('no room'));
      gateway.answerer.mediaMayOpen.catch(() => {});
      invite('c1d');
      const { contact, call } = await inDialog('c1d');
      const { notes } = await gateway.answerer.next();
      peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
      peer.answer(await peer.request('BYE'), 200);
      await notes.waitFor('ended lost');
      expect(notes.termination).toEqual({ result: 'failed', reason: 'no room' });
    });
  });

  it('repeats its 200 until the ACK, and sends BYE only after it', async () => {
    invite('c2');
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    const { contact, call } = await inDialog('c2');
    await peer.response(200, 'INVITE', 2_000);
    leg.hangUp();
    expect(notes.log).toEqual(['ended local']);
    expect(peer.requests('BYE')).toHaveLength(0);
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
  });

  it('accepts an INVITE without an offer: ours is in the 200, the answer in the ACK', async () => {
    invite('c3', '');
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    const { ok, contact, call } = await inDialog('c3');
    expect(ok.content).toContain('RTP/AVP 0 8 101');
    expect(notes.media.configs).toEqual([]);
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack', body: sdp(42_000, { codecs: '8' }) });
    await notes.waitFor('answered');
    expect(notes.media.config).toMatchObject({ codec: 'PCMA', remotePort: 42_000, dtmfPayloadType: null });
  });

  it('rings reliably when the caller supports 100rel', async () => {
    invite('c4', sdp(), ['Supported: 100rel']);
    const ringing = await peer.response(180, 'INVITE');
    expect(ringing.headers.require).toBe('100rel');
    await peer.response(180, 'INVITE', 2_000);
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const call = { callId: 'c4', to: uri, toTag: ringing.headers.to.params.tag! };
    peer.send('PRACK', contact, { ...call, cseq: 2, headers: ['RAck: 1 1 INVITE'] });
    await peer.response(481, 'PRACK');
    peer.send('PRACK', contact, { ...call, cseq: 3, headers: [`RAck: ${ringing.headers.rseq} 1 INVITE`] });
    await peer.response(200, 'PRACK');
    const rung = peer.statuses('INVITE').length;
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    await peer.response(200, 'INVITE');
    expect(peer.statuses('INVITE').filter((status) => status === 180)).toHaveLength(rung);
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
  });

  it('ends when the caller cancels', async () => {
    invite('c5');
    await peer.response(180, 'INVITE');
    peer.send('CANCEL', uri, { callId: 'c5', cseq: 1, branch: 'z9hG4bKc51INVITE' });
    await peer.response(200, 'CANCEL');
    await peer.response(487, 'INVITE');
    const { notes } = await gateway.answerer.next();
    expect(notes.termination).toEqual({ result: 'missed', reason: 'caller hung up' });
  });

  it('refuses with 603, hangs up ringing with 480, and repeats both until the ACK (timer G)', async () => {
    invite('c6');
    (await gateway.answerer.next()).leg.refuse();
    const refused = await peer.response(603, 'INVITE');
    await peer.response(603, 'INVITE', 2_000);
    peer.send('ACK', uri, {
      callId: 'c6',
      cseq: 1,
      branch: 'z9hG4bKc61INVITE',
      toTag: refused.headers.to.params.tag!,
    });
    invite('c7');
    (await gateway.answerer.next(1)).leg.hangUp();
    await peer.response(480, 'INVITE');
    await waitFor('480 again', () => peer.statuses('INVITE').filter((status) => status === 480).length >= 2);
    expect(peer.statuses('INVITE').filter((status) => status === 603)).toHaveLength(2);
  });

  it('answers a repeated INVITE with its last response', async () => {
    invite('c8');
    await peer.response(180, 'INVITE');
    invite('c8');
    await peer.response(180, 'INVITE');
    expect(gateway.answerer.calls).toHaveLength(1);
  });

  it('answers 488 to an offer without a common codec, before anyone is rung', async () => {
    invite('c9', sdp(40_000, { codecs: '18 96' }));
    await peer.response(488, 'INVITE');
    expect(gateway.answerer.calls).toHaveLength(0);
  });

  it('takes SDP out of a multipart body', async () => {
    const parts = [
      '--x',
      'Content-Type: application/isup',
      '',
      'binary',
      '--x',
      'Content-Type: application/sdp',
      '',
      sdp(),
    ];
    const body = [...parts, '--x--', ''].join('\r\n');
    peer.send('INVITE', uri, {
      callId: 'multi',
      cseq: 1,
      body,
      headers: ['Content-Type: multipart/mixed;boundary=x'],
    });
    const { leg } = await gateway.answerer.next();
    leg.accept();
    expect((await inDialog('multi')).ok.content).toContain('RTP/AVP 0 101');
  });

  it.each([
    ['00 prefix', '0033123456789', []],
    ['no plus', '33123456789', []],
    ['national', '0123456789', []],
    ['To header', 'somebody', []],
    ['P-Called-Party-ID', 'somebody', ['P-Called-Party-ID: <sip:+33123456789@ims.example>']],
    ['Diversion', 'somebody', ['Diversion: <tel:+33123456789>;reason=unconditional']],
  ])('finds the number by %s', async (how, user, headers) => {
    const target = `sip:${user}@${gateway.uri}`;
    const to = how === 'To header' ? 'sip:+33123456789@example.com' : target;
    peer.send('INVITE', target, { callId: `n-${user}-${how.length}`, cseq: 1, body: sdp(), headers, to });
    await gateway.answerer.next();
  });

  it.each([
    ['tel:+33123456789', 'tel:+33123456789'],
    ['sips:+33123456789@example.com', 'sips:+33123456789@example.com'],
  ])('accepts %s, and answers with the caller’s own To', async (target) => {
    invite('scheme', sdp(), [], target);
    const ringing = await peer.response(180, 'INVITE');
    expect(ringing.headers.to.uri).toBe(target);
    await gateway.answerer.next();
  });

  it('receives digits by INFO, once when they also come by RTP', async () => {
    invite('c12');
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    const { contact, call } = await inDialog('c12');
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    const info = (cseq: number, digit: string) => {
      const headers = ['Content-Type: application/dtmf-relay'];
      peer.send('INFO', contact, { ...call, cseq, headers, body: `Signal=${digit}\r\nDuration=160\r\n` });
      return peer.response(200, 'INFO');
    };
    notes.media.onEvent({ type: 'dtmf', digit: '5' });
    await info(2, '5');
    await info(3, '5');
    await info(4, '11');
    expect(notes.digits).toBe('55#');
    peer.send('REFER', contact, { ...call, cseq: 5, headers: ['Refer-To: <sip:x@y>'] });
    await peer.response(603, 'REFER');
    peer.send('UPDATE', contact, { ...call, cseq: 6 });
    await peer.response(405, 'UPDATE');
    peer.send('OPTIONS', contact, { ...call, cseq: 7 });
    await peer.response(200, 'OPTIONS');
  });

  it('sends an offer for a re-INVITE without a body', async () => {
    invite('c13');
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    const { contact, call } = await inDialog('c13');
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    peer.send('INVITE', contact, { ...call, cseq: 2 });
    expect((await peer.response(200, 'INVITE')).content).toContain('RTP/AVP 0 8 101');
    const body = sdp(43_000, { codecs: '8 101' });
    peer.send('ACK', contact, { ...call, cseq: 2, branch: 'z9hG4bKack2', body });
    await waitFor('the new codec', () => notes.media.config?.remotePort === 43_000);
    expect(notes.media.config?.codec).toBe('PCMA');
  });

  it('keeps the call of a trunk that is removed', async () => {
    invite('c14');
    const { leg, notes } = await gateway.answerer.next();
    leg.accept();
    const { contact, call } = await inDialog('c14');
    gateway.connector.removeTrunk('acc_1');
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    peer.send('BYE', contact, { ...call, cseq: 2 });
    await peer.response(200, 'BYE');
    await notes.waitFor('ended remote');
    invite('c15');
    await waitFor('silence', () => gateway.counted('scanner_dropped') > 0);
  });

  it('checks Require, Max-Forwards, methods and dialogs', async () => {
    invite('g1', sdp(), ['Require: 100rel, precondition, magic']);
    const bad = await peer.response(420, 'INVITE');
    expect(bad.headers.unsupported).toBe('precondition, magic');
    peer.send('OPTIONS', uri, { callId: 'g2', cseq: 1, headers: ['Proxy-Require: foo'] });
    await peer.response(420, 'OPTIONS');
    peer.send('MESSAGE', uri, { callId: 'g3', cseq: 1 });
    const refused = await peer.response(405, 'MESSAGE');
    expect(refused.headers.allow).toBe('INVITE, ACK, BYE, CANCEL, OPTIONS, INFO, PRACK, REFER');
    peer.send('INVITE', uri, { callId: 'g4', cseq: 1, headers: ['Content-Type: text/plain'], body: 'hello' });
    await peer.response(415, 'INVITE');
    peer.send('BYE', uri, { callId: 'g5', cseq: 1, toTag: 'nobody' });
    await peer.response(481, 'BYE');
    peer.send('PRACK', uri, { callId: 'g7', cseq: 1 });
    await peer.response(481, 'PRACK');
    invite('g6', sdp(), [], 'http://example.com');
    await peer.response(416, 'INVITE');
  });

  it('sends strangers no answer to anything', async () => {
    const stranger = await ScriptedPeer.start('127.0.0.9');
    stranger.facing(gateway.connector.port!);
    for (const method of ['OPTIONS', 'INVITE', 'REGISTER', 'BYE']) {
      stranger.send(method, uri, { callId: method, cseq: 1, toTag: 'x' });
    }
    await waitFor('all to be dropped', () => gateway.counted('scanner_dropped') === 4);
    expect(stranger.received).toEqual([]);
    expect(gateway.answerer.calls).toHaveLength(0);
    stranger.stop();
  });

  it('stops reading a stranger that floods our Contact with invalid messages', async () => {
    invite('known');
    const ringing = await peer.response(180, 'INVITE');
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const stranger = await ScriptedPeer.start('127.0.0.9');
    stranger.facing(gateway.connector.port!);
    for (let cseq = 1; cseq <= 60; cseq += 1)
      stranger.sendText(`OPTIONS ${contact} SIP/2.0\r\nVia: x\r\n\r\n`);
    await waitFor('the flood to be cut', () => gateway.counted('rate_limited') >= 36);
    expect(gateway.counted('scanner_dropped')).toBeLessThanOrEqual(24);
    expect(stranger.received).toEqual([]);
    stranger.stop();
  });

  it('survives every malformed message, and still accepts calls', async () => {
    for (const { bytes } of tortureMessages(uri, peer.port)) peer.sendText(bytes);
    invite('after');
    await waitFor('the call after', () => gateway.answerer.calls.length > 0);
    await waitFor('ringing', () =>
      peer.received.some(({ message }) => message.headers['call-id'] === 'after'),
    );
    expect(gateway.counted('core_error')).toBe(0);
    expect(gateway.counted('malformed_message')).toBeGreaterThan(10);
  });

  it('reads everything that a server at another address sends in its dialogs', async () => {
    invite('many');
    (await gateway.answerer.next()).leg.accept();
    const { contact, call } = await inDialog('many');
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    const server = await ScriptedPeer.start('127.0.0.2');
    server.facing(gateway.connector.port!);
    for (let cseq = 2; cseq < 62; cseq += 1) server.send('INFO', contact, { ...call, cseq });
    await waitFor('answers', () => server.statuses('INFO').length === 60);
    expect(gateway.counted('rate_limited')).toBe(0);
    server.stop();
  });

  it('takes a call that names only the registered Contact as one to the only number', async () => {
    gateway.connector.putTrunk(trunkTo(peer.port, { register: true }));
    const register = await peer.request('REGISTER');
    peer.answer(register, 200);
    const contact = (register.headers.contact as { uri: string }[])[0]!.uri;
    invite('named', sdp(), [], contact);
    expect((await gateway.answerer.next()).call).toMatchObject({ target: 'sip:+33123456789@127.0.0.1' });
    gateway.connector.putNumber({ ...NUMBER, didId: 'did_2', number: '+33199999999' });
    invite('unclear', sdp(), [], contact);
    await peer.response(404, 'INVITE');
  });

  it('never gives an account a call that came to another account’s Contact', async () => {
    gateway.connector.putTrunk(trunkTo(peer.port, { register: true }));
    gateway.connector.putTrunk(trunkTo(peer.port, { accountId: 'acc_2', inboundToken: 'f'.repeat(32) }));
    gateway.connector.removeNumber('did_1');
    gateway.connector.putNumber({ ...NUMBER, accountId: 'acc_2' });
    const register = await peer.request('REGISTER');
    peer.answer(register, 200);
    const contact = (register.headers.contact as { uri: string }[])[0]!.uri;
    invite('diverted', sdp(), [`Diversion: <sip:${NUMBER.number}@127.0.0.1>`], contact);
    await peer.response(404, 'INVITE');
    expect(gateway.answerer.calls).toHaveLength(0);
  });

  it('treats a call that a proxy forked to it twice as one call', async () => {
    const call = { callId: 'forked', cseq: 1, body: sdp() };
    peer.send('INVITE', uri, { ...call, branch: 'z9hG4bKone' });
    await peer.response(180, 'INVITE');
    peer.send('INVITE', uri, { ...call, branch: 'z9hG4bKother' });
    await peer.response(482, 'INVITE');
    expect(gateway.answerer.calls).toHaveLength(1);
    peer.send('INVITE', uri, { ...call, branch: 'z9hG4bKthird', fromTag: 'else' });
    await waitFor('another call', () => gateway.answerer.calls.length === 2);
  });

  it('does not delay its 200 for the engine, and hangs up when the engine fails', async () => {
    invite('engine');
    const { leg, notes } = await gateway.answerer.next();
    let fail = (_error: Error): void => {};
    notes.media.configure = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    leg.accept();
    const { contact, call } = await inDialog('engine');
    peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    expect(notes.log).toEqual([]);
    fail(new Error('worker lost'));
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(notes.log).toEqual(['ended lost']);
    expect(notes.termination).toEqual({ result: 'failed', reason: 'worker lost' });
  });
});
