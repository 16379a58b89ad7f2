import { beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../../support/wait-for.ts';
import { sdp } from '../scripted-peer.ts';
import { ConnectorUnderTest, NUMBER, trunkTo } from '../start-connector.ts';
import { InboundScene } from './inbound-scene.ts';

describe('inbound calls', () => {
  const scene = InboundScene.forEach();

  it('rings, answers, and is answered with the ACK', async () => {
    scene.invite('c1');
    await scene.peer.response(180, 'INVITE');
    const { call, leg, notes } = await scene.gateway.answerer.next();
    expect(call).toMatchObject({
      caller: '+33611111111',
      target: 'sip:+33123456789@127.0.0.1',
      agentId: 'agt_1',
    });
    leg.accept();
    const { ok, contact, call: dialog } = await scene.inDialog('c1');
    expect(ok.content).toMatch(/m=audio \d+ RTP\/AVP 0 101\r\n/);
    expect(notes.log).toEqual([]);
    scene.peer.send('ACK', contact, { ...dialog, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    leg.hangUp();
    scene.peer.answer(await scene.peer.request('BYE'), 200);
    await leg.released;
    expect(notes.log).toEqual(['answered', 'ended local']);
  });

  it('sends no provisional response before an immediate 200, and 100 otherwise', async () => {
    scene.gateway.answerer.answersAtOnce = true;
    scene.invite('c1a');
    await scene.peer.response(200, 'INVITE');
    expect(scene.peer.statuses('INVITE')).toEqual([200]);
    const opened = Promise.withResolvers<void>();
    scene.gateway.answerer.mediaMayOpen = opened.promise;
    scene.invite('c1b');
    await scene.peer.response(100, 'INVITE');
    opened.resolve();
    await waitFor('the second 200', () => {
      const statuses = scene.peer.statuses('INVITE');
      return statuses.lastIndexOf(200) > statuses.indexOf(100);
    });
    expect(scene.peer.statuses('INVITE')).not.toContain(180);
  });

  describe('with ports that are already bound', () => {
    beforeEach(async () => {
      let reserved = 0;
      // The sockets are the fake media's own.
      const reserving = { reserve: () => 1_000_000 + reserved++, clear: () => {}, release: () => {} };
      await scene.gateway.stop();
      scene.gateway = await ConnectorUnderTest.start({ reserving: () => reserving });
      scene.peer.facing(scene.gateway.connector.port!);
      scene.gateway.connector.putTrunk(trunkTo(scene.peer.port));
      scene.gateway.connector.putNumber(NUMBER);
      scene.uri = `sip:+33123456789@${scene.gateway.uri}`;
      await scene.reachable();
      scene.gateway.answerer.answersAtOnce = true;
      await waitFor('bound ports', () => reserved > 0);
    });

    it('answers before the worker has opened its media', async () => {
      const opened = Promise.withResolvers<void>();
      scene.gateway.answerer.mediaMayOpen = opened.promise;
      scene.invite('c1c');
      const { contact, ok, call } = await scene.inDialog('c1c');
      const { notes, leg } = await scene.gateway.answerer.next();
      scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
      await waitFor('the worker to be asked', () => notes.media.opens.length === 1);
      expect(ok.content).toContain(`m=audio ${notes.media.opens[0]!.rtpPort} RTP/AVP`);
      expect(notes.media.configs).toEqual([]);
      expect(notes.log).toEqual([]);
      opened.resolve();
      await notes.waitFor('answered');
      expect(notes.media.config).toMatchObject({ codec: 'PCMU', remotePort: 40_000 });
      leg.hangUp();
      scene.peer.answer(await scene.peer.request('BYE'), 200);
    });

    it('hangs up when the worker cannot open its media after all', async () => {
      scene.gateway.answerer.mediaMayOpen = Promise.reject(new Error('no room'));
      scene.gateway.answerer.mediaMayOpen.catch(() => {});
      scene.invite('c1d');
      const { contact, call } = await scene.inDialog('c1d');
      const { notes } = await scene.gateway.answerer.next();
      scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
      scene.peer.answer(await scene.peer.request('BYE'), 200);
      await notes.waitFor('ended lost');
      expect(notes.termination).toEqual({ result: 'failed', reason: 'no room' });
    });
  });

  it('repeats its 200 until the ACK, and sends BYE only after it', async () => {
    scene.invite('c2');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const { contact, call } = await scene.inDialog('c2');
    await scene.peer.response(200, 'INVITE', 2_000);
    leg.hangUp();
    expect(notes.log).toEqual(['ended local']);
    expect(scene.peer.requests('BYE')).toHaveLength(0);
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    scene.peer.answer(await scene.peer.request('BYE'), 200);
    await leg.released;
  });

  it('accepts an INVITE without an offer: ours is in the 200, the answer in the ACK', async () => {
    scene.invite('c3', '');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const { ok, contact, call } = await scene.inDialog('c3');
    expect(ok.content).toContain('RTP/AVP 0 8 101');
    expect(notes.media.configs).toEqual([]);
    scene.peer.send('ACK', contact, {
      ...call,
      cseq: 1,
      branch: 'z9hG4bKack',
      body: sdp(42_000, { codecs: '8' }),
    });
    await notes.waitFor('answered');
    expect(notes.media.config).toMatchObject({ codec: 'PCMA', remotePort: 42_000, dtmfPayloadType: null });
  });

  it('rings reliably when the caller supports 100rel', async () => {
    scene.invite('c4', sdp(), ['Supported: 100rel']);
    const ringing = await scene.peer.response(180, 'INVITE');
    expect(ringing.headers.require).toBe('100rel');
    await scene.peer.response(180, 'INVITE', 2_000);
    const contact = (ringing.headers.contact as { uri: string }[])[0]!.uri;
    const call = { callId: 'c4', to: scene.uri, toTag: ringing.headers.to.params.tag! };
    scene.peer.send('PRACK', contact, { ...call, cseq: 2, headers: ['RAck: 1 1 INVITE'] });
    await scene.peer.response(481, 'PRACK');
    scene.peer.send('PRACK', contact, {
      ...call,
      cseq: 3,
      headers: [`RAck: ${ringing.headers.rseq} 1 INVITE`],
    });
    await scene.peer.response(200, 'PRACK');
    const rung = scene.peer.statuses('INVITE').length;
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    await scene.peer.response(200, 'INVITE');
    expect(scene.peer.statuses('INVITE').filter((status) => status === 180)).toHaveLength(rung);
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
  });

  it('ends when the caller cancels', async () => {
    scene.invite('c5');
    await scene.peer.response(180, 'INVITE');
    scene.peer.send('CANCEL', scene.uri, { callId: 'c5', cseq: 1, branch: 'z9hG4bKc51INVITE' });
    await scene.peer.response(200, 'CANCEL');
    await scene.peer.response(487, 'INVITE');
    const { notes } = await scene.gateway.answerer.next();
    expect(notes.termination).toEqual({ result: 'missed', reason: 'caller hung up' });
  });

  it('refuses with 603, hangs up ringing with 480, and repeats both until the ACK (timer G)', async () => {
    scene.invite('c6');
    (await scene.gateway.answerer.next()).leg.refuse();
    const refused = await scene.peer.response(603, 'INVITE');
    await scene.peer.response(603, 'INVITE', 2_000);
    scene.peer.send('ACK', scene.uri, {
      callId: 'c6',
      cseq: 1,
      branch: 'z9hG4bKc61INVITE',
      toTag: refused.headers.to.params.tag!,
    });
    scene.invite('c7');
    (await scene.gateway.answerer.next(1)).leg.hangUp();
    await scene.peer.response(480, 'INVITE');
    await waitFor(
      '480 again',
      () => scene.peer.statuses('INVITE').filter((status) => status === 480).length >= 2,
    );
    expect(scene.peer.statuses('INVITE').filter((status) => status === 603)).toHaveLength(2);
  });

  it('answers a repeated INVITE with its last response', async () => {
    scene.invite('c8');
    await scene.peer.response(180, 'INVITE');
    scene.invite('c8');
    await scene.peer.response(180, 'INVITE');
    expect(scene.gateway.answerer.calls).toHaveLength(1);
  });

  it('answers 488 to an offer without a common codec, before anyone is rung', async () => {
    scene.invite('c9', sdp(40_000, { codecs: '18 96' }));
    await scene.peer.response(488, 'INVITE');
    expect(scene.gateway.answerer.calls).toHaveLength(0);
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
    scene.peer.send('INVITE', scene.uri, {
      callId: 'multi',
      cseq: 1,
      body,
      headers: ['Content-Type: multipart/mixed;boundary=x'],
    });
    const { leg } = await scene.gateway.answerer.next();
    leg.accept();
    expect((await scene.inDialog('multi')).ok.content).toContain('RTP/AVP 0 101');
  });

  it.each([
    ['00 prefix', '0033123456789', []],
    ['no plus', '33123456789', []],
    ['national', '0123456789', []],
    ['To header', 'somebody', []],
    ['P-Called-Party-ID', 'somebody', ['P-Called-Party-ID: <sip:+33123456789@ims.example>']],
    ['Diversion', 'somebody', ['Diversion: <tel:+33123456789>;reason=unconditional']],
  ])('finds the number by %s', async (how, user, headers) => {
    const target = `sip:${user}@${scene.gateway.uri}`;
    const to = how === 'To header' ? 'sip:+33123456789@example.com' : target;
    scene.peer.send('INVITE', target, {
      callId: `n-${user}-${how.length}`,
      cseq: 1,
      body: sdp(),
      headers,
      to,
    });
    await scene.gateway.answerer.next();
  });

  it.each([
    ['tel:+33123456789', 'tel:+33123456789'],
    ['sips:+33123456789@example.com', 'sips:+33123456789@example.com'],
  ])('accepts %s, and answers with the caller’s own To', async (target) => {
    scene.invite('scheme', sdp(), [], target);
    const ringing = await scene.peer.response(180, 'INVITE');
    expect(ringing.headers.to.uri).toBe(target);
    await scene.gateway.answerer.next();
  });

  it('receives digits by INFO, once when they also come by RTP', async () => {
    scene.invite('c12');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const { contact, call } = await scene.inDialog('c12');
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    const info = (cseq: number, digit: string) => {
      const headers = ['Content-Type: application/dtmf-relay'];
      scene.peer.send('INFO', contact, {
        ...call,
        cseq,
        headers,
        body: `Signal=${digit}\r\nDuration=160\r\n`,
      });
      return scene.peer.response(200, 'INFO');
    };
    notes.media.onEvent({ type: 'dtmf', digit: '5' });
    await info(2, '5');
    await info(3, '5');
    await info(4, '11');
    expect(notes.digits).toBe('55#');
    scene.peer.send('REFER', contact, { ...call, cseq: 5, headers: ['Refer-To: <sip:x@y>'] });
    await scene.peer.response(603, 'REFER');
    scene.peer.send('UPDATE', contact, { ...call, cseq: 6 });
    await scene.peer.response(405, 'UPDATE');
    scene.peer.send('OPTIONS', contact, { ...call, cseq: 7 });
    await scene.peer.response(200, 'OPTIONS');
  });

  it('sends an offer for a re-INVITE without a body', async () => {
    scene.invite('c13');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const { contact, call } = await scene.inDialog('c13');
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    scene.peer.send('INVITE', contact, { ...call, cseq: 2 });
    expect((await scene.peer.response(200, 'INVITE')).content).toContain('RTP/AVP 0 8 101');
    const body = sdp(43_000, { codecs: '8 101' });
    scene.peer.send('ACK', contact, { ...call, cseq: 2, branch: 'z9hG4bKack2', body });
    await waitFor('the new codec', () => notes.media.config?.remotePort === 43_000);
    expect(notes.media.config?.codec).toBe('PCMA');
  });

  it('keeps the call of a trunk that is removed', async () => {
    scene.invite('c14');
    const { leg, notes } = await scene.gateway.answerer.next();
    leg.accept();
    const { contact, call } = await scene.inDialog('c14');
    scene.gateway.connector.removeTrunk('acc_1');
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    await notes.waitFor('answered');
    scene.peer.send('BYE', contact, { ...call, cseq: 2 });
    await scene.peer.response(200, 'BYE');
    await notes.waitFor('ended remote');
    scene.invite('c15');
    await waitFor('silence', () => scene.gateway.counted('scanner_dropped') > 0);
  });

  it('does not delay its 200 for the engine, and hangs up when the engine fails', async () => {
    scene.invite('engine');
    const { leg, notes } = await scene.gateway.answerer.next();
    let fail = (_error: Error): void => {};
    notes.media.configure = () =>
      new Promise((_resolve, reject) => {
        fail = reject;
      });
    leg.accept();
    const { contact, call } = await scene.inDialog('engine');
    scene.peer.send('ACK', contact, { ...call, cseq: 1, branch: 'z9hG4bKack' });
    expect(notes.log).toEqual([]);
    fail(new Error('worker lost'));
    scene.peer.answer(await scene.peer.request('BYE'), 200);
    await leg.released;
    expect(notes.log).toEqual(['ended lost']);
    expect(notes.termination).toEqual({ result: 'failed', reason: 'worker lost' });
  });
});
