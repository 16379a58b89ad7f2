import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { PlatformLeg } from '../../../../../src/connectors/contract/call-leg.ts';
import { ManualClock } from '../../../../support/manual-clock.ts';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, trunkTo } from './start-connector.ts';

describe('outbound calls', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;
  let notes: RecordedLeg;

  beforeEach(async () => {
    gateway = await ConnectorUnderTest.start({ mediaTimeoutMs: 30_000 });
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    notes = new RecordedLeg();
  });

  afterEach(async () => {
    notes.media.close();
    peer.stop();
    await gateway.stop();
  });

  function dial(target = '+33123456789@127.0.0.1'): PlatformLeg {
    const request = dialTo(`sip:${target}`, { agentName: 'Zoë "Bot"' });
    return gateway.connector.dial(request, notes.media, notes);
  }

  async function answered(codecs = '0 101'): Promise<PlatformLeg> {
    const leg = dial();
    peer.answer(await peer.request('INVITE'), 200, { body: sdp(40_000, { codecs }) });
    await notes.waitFor('answered');
    return leg;
  }

  it('offers PCMU, PCMA and telephone-event with accurate headers', async () => {
    dial();
    const { headers, content, uri } = await peer.request('INVITE');
    expect(uri).toBe(`sip:+33123456789@127.0.0.1:${peer.port}`);
    expect(headers.from).toMatchObject({ uri: 'sip:+33100000000@127.0.0.1' });
    expect(headers.from.name).toContain('Bot');
    expect(headers.via[0]?.params).toHaveProperty('rport');
    expect(String(headers.allow)).not.toMatch(/UPDATE|REGISTER|SUBSCRIBE/);
    expect(content).toContain('m=audio');
    expect(content).toMatch(/RTP\/AVP 0 8 101\r\n/);
    expect(content).toContain('a=ptime:20');
  });

  it('repeats the INVITE after 0.5 and 1 s until a provisional answer comes (timer A)', async () => {
    dial();
    await waitFor('three INVITEs', () => peer.requests('INVITE').length === 3);
    const [first, , third] = peer.received.map(({ atMs }) => atMs);
    // Less what a busy machine notices the first one late.
    expect(third! - first!).toBeGreaterThan(1_200);
    peer.answer(peer.requests('INVITE')[0]!, 180);
    await notes.waitFor('ringing');
    expect(gateway.counted('retransmission')).toBe(2);
    expect(new Set(peer.requests('INVITE').map(({ headers }) => headers.via[0]?.params.branch)).size).toBe(1);
  });

  it('counts as answered when the answer is applied, and repeats its ACK for a repeated 200', async () => {
    dial();
    const invite = await peer.request('INVITE');
    peer.answer(invite, 200, { body: sdp(40_000, { codecs: '8 101' }) });
    await notes.waitFor('answered');
    expect(notes.media.configs[0]).toMatchObject({ remotePort: 40_000, codec: 'PCMA', dtmfPayloadType: 101 });
    expect(notes.media.config?.mediaTimeoutMs).toBe(30_000);
    await peer.request('ACK');
    peer.answer(invite, 200, { body: sdp() });
    await peer.request('ACK');
    expect(notes.log).toEqual(['answered']);
  });

  it('plays early media, and acknowledges reliable provisional answers', async () => {
    dial();
    const invite = await peer.request('INVITE');
    peer.answer(invite, 183, { headers: ['Require: 100rel', 'RSeq: 17'], body: sdp() });
    const prack = await peer.request('PRACK');
    expect(prack.headers.rack).toMatch(/^17 1 INVITE$/);
    await waitFor('early media', () => notes.media.config?.remotePort === 40_000);
    expect(notes.log).toEqual(['early media']);
    peer.answer(prack, 200);
    peer.answer(invite, 200);
    await notes.waitFor('answered');
  });

  it('rings on a 180 without Contact and tag', async () => {
    dial();
    const invite = await peer.request('INVITE');
    const head = peer.received[0]!.text.split('\r\n').filter((line) =>
      /^(via|from|to|call-id|cseq):/i.test(line),
    );
    peer.sendText(['SIP/2.0 180 Ringing', ...head, 'Content-Length: 0', '', ''].join('\r\n'));
    await notes.waitFor('ringing');
    peer.answer(invite, 200, { body: sdp() });
    await notes.waitFor('answered');
  });

  it('accepts an answer without Content-Type, and ignores a response without To', async () => {
    dial();
    await peer.request('INVITE');
    const head = peer.received[0]!.text.split('\r\n').filter((line) =>
      /^(via|from|to|call-id|cseq):/i.test(line),
    );
    const withoutTo = head.filter((line) => !/^to:/i.test(line));
    peer.sendText(['SIP/2.0 486 Busy', ...withoutTo, 'Content-Length: 0', '', ''].join('\r\n'));
    const tagged = head.map((line) => (/^to:/i.test(line) ? `${line};tag=t` : line));
    const contact = `Contact: <sip:peer@127.0.0.1:${peer.port}>`;
    peer.sendText(['SIP/2.0 200 OK', ...tagged, contact, '', sdp()].join('\r\n'));
    await notes.waitFor('answered');
    expect([gateway.counted('malformed_message'), gateway.counted('core_error')]).toEqual([1, 0]);
  });

  it('keeps the first of forked answers and hangs the other up', async () => {
    dial();
    const invite = await peer.request('INVITE');
    peer.answer(invite, 200, { tag: 'first', body: sdp() });
    await notes.waitFor('answered');
    peer.answer(invite, 200, { tag: 'second', body: sdp(41_000) });
    const bye = await peer.request('BYE');
    expect(bye.headers.to.params.tag).toBe('second');
    const acknowledged = peer.requests('ACK').map(({ headers }) => headers.to.params.tag);
    expect(new Set(acknowledged)).toEqual(new Set(['first', 'second']));
    expect(notes.media.config?.remotePort).toBe(40_000);
  });

  it('cancels only after a provisional answer', async () => {
    const leg = dial();
    const invite = await peer.request('INVITE');
    leg.hangUp();
    expect(notes.log).toEqual(['ended local']);
    expect(peer.requests('CANCEL')).toHaveLength(0);
    peer.answer(invite, 100);
    const cancel = await peer.request('CANCEL');
    expect(cancel.headers.via[0]?.params.branch).toBe(invite.headers.via[0]?.params.branch);
    peer.answer(cancel, 200);
    peer.answer(invite, 487);
    await peer.request('ACK');
    await leg.released;
  });

  it('acknowledges and hangs up a 200 that crosses the CANCEL', async () => {
    const leg = dial();
    const invite = await peer.request('INVITE');
    peer.answer(invite, 180);
    await notes.waitFor('ringing');
    leg.hangUp();
    await peer.request('CANCEL');
    peer.answer(invite, 200, { body: sdp() });
    await peer.request('ACK');
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(notes.log).toEqual(['ringing', 'ended local']);
  });

  it.each([
    [486, 'busy'],
    [600, 'busy'],
    [603, 'refused'],
    [480, 'no_answer'],
    [408, 'no_answer'],
    [487, 'no_answer'],
    [404, 'failed'],
    [503, 'failed'],
  ])('maps %i to %s, and repeats the ACK for a repeated refusal', async (status, result) => {
    dial();
    const invite = await peer.request('INVITE');
    peer.answer(invite, 100);
    peer.answer(invite, status);
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result, reason: `${status} Scripted` });
    await peer.request('ACK');
    peer.answer(invite, status);
    await peer.request('ACK');
  });

  it('follows a redirect that stays on the trunk, and no other', async () => {
    dial();
    peer.answer(await peer.request('INVITE'), 302, { contact: `sip:other@127.0.0.1:${peer.port}` });
    const second = await peer.request('INVITE');
    expect(second.uri).toBe(`sip:other@127.0.0.1:${peer.port}`);
    peer.answer(second, 302, { contact: 'sip:toll@192.0.2.1' });
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result: 'failed', reason: '302 Scripted' });
  });

  it('fails when the answer has no codec in common, and sends BYE', async () => {
    dial();
    peer.answer(await peer.request('INVITE'), 200, { body: sdp(40_000, { codecs: '18' }) });
    await notes.waitFor('ended lost');
    expect(notes.termination?.result).toBe('failed');
    await peer.request('BYE');
  });

  it('sends digits by RFC 4733 when it is agreed', async () => {
    const leg = await answered();
    await leg.dtmf!.sendDtmf('12#');
    expect(notes.media.commands).toEqual([['dtmf', '12#']]);
    leg.hangUp();
    await expect(leg.dtmf!.sendDtmf('1')).rejects.toThrow('not active');
  });

  it('sends digits by INFO to a peer without telephone-event', async () => {
    const leg = await answered('0');
    const sent = leg.dtmf!.sendDtmf('5*');
    const first = await peer.request('INFO');
    expect(first.content).toContain('Signal=5');
    peer.answer(first, 200);
    const second = await peer.request('INFO');
    expect(second.content).toContain('Signal=*');
    peer.answer(second, 200);
    await sent;
  });

  it.each([
    ['has sent its digits when the peer hangs up on the last one', '5', true],
    ['has not sent its digits when the peer hangs up before the last one', '5*', false],
  ])('by INFO, %s', async (_what, digits, isDone) => {
    const leg = await answered('0');
    const sent = leg.dtmf!.sendDtmf(digits);
    const invite = peer.requests('INVITE')[0]!;
    const contact = (invite.headers.contact as { uri: string }[])[0]!.uri;
    await peer.request('INFO');
    const from = { callId: invite.headers['call-id'], toTag: invite.headers.from.params.tag! };
    peer.send('BYE', contact, { ...from, cseq: 1 });
    if (isDone) await sent;
    else await expect(sent).rejects.toMatchObject({ code: 'call_not_active' });
    expect(peer.requests('INFO')).toHaveLength(1);
  });

  /** A call with keys to press, which has been answered. */
  async function answeredToPress(target: string, codecs = '0 101'): Promise<PlatformLeg> {
    const leg = gateway.connector.dial(dialTo(target), notes.media, notes);
    peer.answer(await peer.request('INVITE'), 200, { body: sdp(40_000, { codecs }) });
    await notes.waitFor('waiting: entering the meeting id');
    return leg;
  }

  it.each([
    ['+1 646-558-8656,,81#', `sip:+16465588656@127.0.0.1`],
    ['tel:+16465588656;postd=pp81%23', `sip:+16465588656@127.0.0.1`],
    ['sip:+16465588656,,81#@127.0.0.1', `sip:+16465588656@127.0.0.1`],
  ])('dials %s without the digits, and presses them after the first packet', async (target, uri) => {
    const clock = new ManualClock();
    const other = await ConnectorUnderTest.start({}, clock);
    peer.facing(other.connector.port!);
    other.connector.putTrunk(trunkTo(peer.port));
    other.connector.dial(dialTo(target), notes.media, notes);
    const invite = await peer.request('INVITE');
    expect(invite.uri.split(';')[0]).toBe(`${uri}:${peer.port}`);
    peer.answer(invite, 200, { body: sdp(40_000, { codecs: '0 101' }) });
    await notes.waitFor('waiting: entering the meeting id');
    expect(notes.media.config?.mediaTimeoutMs).toBe(30_000);
    notes.media.onEvent({ type: 'flowing' });
    await turn();
    clock.advance(3_999);
    await turn();
    expect(notes.media.commands).toEqual([]);
    clock.advance(1);
    await turn();
    expect(notes.media.commands).toEqual([['press', '81#']]);
    clock.advance(999);
    await turn();
    expect(notes.log).not.toContain('answered');
    clock.advance(1);
    await notes.waitFor('answered');
    const stopped = other.stop();
    clock.advance(60_000);
    await stopped;
  });

  it.each([
    ['before a key was pressed', ',1', 'the far end hung up before a key was pressed'],
    ['after it', '1', 'the meeting refused the id or passcode'],
  ])('fails when the peer hangs up %s', async (_what, dtmf, reason) => {
    gateway.connector.dial(dialTo('+1646', { dtmf }), notes.media, notes);
    const invite = await peer.request('INVITE');
    peer.answer(invite, 200, { body: sdp(40_000, { codecs: '0 101' }) });
    await notes.waitFor('waiting: entering the meeting id');
    notes.media.onEvent({ type: 'flowing' });
    if (dtmf === '1') await waitFor('the key', () => notes.media.commands.length === 1);
    const contact = (invite.headers.contact as { uri: string }[])[0]!.uri;
    const from = { callId: invite.headers['call-id'], toTag: invite.headers.from.params.tag! };
    peer.send('BYE', contact, { ...from, cseq: 1 });
    await notes.waitFor('ended remote');
    expect(notes.termination).toEqual({ result: 'failed', reason });
  });

  it('fails when its keys cannot be pressed', async () => {
    notes.media.command = async () => {
      throw new Error('The call is on hold');
    };
    await answeredToPress('+1646;postd=1');
    notes.media.onEvent({ type: 'flowing' });
    await peer.request('BYE');
    expect(notes.termination).toEqual({
      result: 'failed',
      reason: 'the keys could not be pressed: The call is on hold',
    });
  });

  it('presses no more keys once it is hung up', async () => {
    const leg = await answeredToPress('+1646,1');
    notes.media.onEvent({ type: 'flowing' });
    leg.hangUp();
    peer.answer(await peer.request('BYE'), 200);
    await leg.released;
    expect(notes.media.commands).toEqual([]);
    expect(notes.log).toEqual(['waiting: entering the meeting id', 'ended local']);
  });

  it('ends a call whose media has stalled', async () => {
    await answered();
    notes.media.onEvent({ type: 'stalled', silentMs: 30_020 });
    await peer.request('BYE');
    expect(notes.log).toEqual(['answered', 'ended lost']);
    expect(notes.termination).toEqual({ result: 'disconnected', reason: 'no RTP for 30 s' });
  });

  it('follows hold, codec change and resume by re-INVITE, raising the version of its description', async () => {
    await answered();
    const invite = peer.requests('INVITE')[0]!;
    const contact = (invite.headers.contact as { uri: string }[])[0]!.uri;
    const from = { callId: invite.headers['call-id'], toTag: invite.headers.from.params.tag! };
    const reInvite = async (cseq: number, body: string) => {
      peer.send('INVITE', contact, { ...from, cseq, body });
      const { content, headers } = await peer.response(200, 'INVITE');
      peer.send('ACK', contact, { ...from, cseq, branch: `z9hG4bKack${cseq}` });
      return { content, version: Number(/^o=- \d+ (\d+)/m.exec(content)?.[1]), headers };
    };
    const held = await reInvite(1, sdp(40_000, { codecs: '0 101', direction: 'sendonly' }));
    expect(held.content).toContain('a=recvonly');
    expect(notes.media.config).toMatchObject({ sending: false, receiving: true, mediaTimeoutMs: 86_400_000 });
    const resumed = await reInvite(2, sdp(40_002, { codecs: '8 101' }));
    expect(resumed.version).toBe(held.version + 1);
    expect(notes.media.config).toMatchObject({ sending: true, codec: 'PCMA', remotePort: 40_002 });
    const refreshed = await reInvite(3, sdp(40_002, { codecs: '8 101' }));
    expect(refreshed.version).toBe(resumed.version);
    peer.send('INVITE', contact, { ...from, cseq: 4, body: sdp(40_002, { codecs: '18' }) });
    await peer.response(488, 'INVITE');
  });

  it('refreshes the session at half time when that is left to us', async () => {
    const clock = new ManualClock();
    const other = await ConnectorUnderTest.start({}, clock);
    peer.facing(other.connector.port!);
    other.connector.putTrunk(trunkTo(peer.port));
    const request = dialTo('sip:1@127.0.0.1');
    other.connector.dial(request, notes.media, notes);
    const headers = ['Session-Expires: 1800;refresher=uac'];
    peer.answer(await peer.request('INVITE'), 200, { headers, body: sdp() });
    await notes.waitFor('answered');
    await peer.request('ACK');
    clock.advance(899_000);
    expect(peer.requests('INVITE')).toHaveLength(1);
    clock.advance(1_000);
    const refresh = await peer.request('INVITE');
    expect(refresh.headers.to.params.tag).toBe('peer');
    expect(refresh.content).toBe(peer.requests('INVITE')[0]!.content);
    peer.answer(refresh, 200, { headers, body: sdp() });
    await peer.request('ACK');
    clock.advance(900_000);
    peer.answer(await peer.request('INVITE'), 481);
    await notes.waitFor('ended lost');
    clock.advance(1_000);
    const stopped = other.stop();
    clock.advance(10_000);
    await stopped;
  });

  it('hangs up both ways, and answers 481 to what comes after', async () => {
    const leg = await answered();
    const invite = peer.requests('INVITE')[0]!;
    const contact = (invite.headers.contact as { uri: string }[])[0]!.uri;
    const from = { callId: invite.headers['call-id'], toTag: invite.headers.from.params.tag! };
    peer.send('BYE', contact, { ...from, cseq: 1 });
    await peer.response(200, 'BYE');
    await notes.waitFor('ended remote');
    await leg.released;
    peer.send('BYE', contact, { ...from, cseq: 1 });
    await peer.response(200, 'BYE');
    expect(gateway.counted('replayed_response')).toBe(1);
    peer.send('BYE', contact, { ...from, cseq: 2 });
    await peer.response(481, 'BYE');
  });

  it('tries the next server when the first is unavailable', async () => {
    const second = await ScriptedPeer.start('127.0.0.2');
    const records = [
      { name: 'a.test', port: peer.port, priority: 1, weight: 1 },
      { name: 'b.test', port: second.port, priority: 2, weight: 1 },
    ];
    const other = await ConnectorUnderTest.start({
      dns: {
        naptr: async () => [],
        srv: async () => records,
        addresses: async (name) => [{ address: name === 'a.test' ? '127.0.0.1' : '127.0.0.2', ttlS: 60 }],
      },
    });
    peer.facing(other.connector.port!);
    second.facing(other.connector.port!);
    other.connector.putTrunk(trunkTo(5060, { host: 'sip.test' }));
    const request = dialTo('sip:1@sip.test');
    other.connector.dial(request, notes.media, notes);
    peer.answer(await peer.request('INVITE'), 503);
    const refused = await second.request('INVITE');
    second.answer(refused, 486);
    const ack = await second.request('ACK');
    expect(ack.headers.via[0]?.params.branch).toBe(refused.headers.via[0]?.params.branch);
    expect(notes.termination?.result).toBe('busy');
    second.stop();
    await other.stop();
  });

  it('validates its request before dialling', () => {
    const check = (accountId: string, target: string) => () =>
      gateway.connector.prepare(dialTo(target, { accountId }));
    expect(check('acc_2', 'sip:1@h')).toThrow(/^No SIP trunk configured$/);
    expect(check('acc_1', ' ')).toThrow('meeting_url required');
    expect(check('acc_1', 'https://example.com')).toThrow('neither a SIP URI nor a phone number');
    expect(check('acc_1', 'sip:')).toThrow('neither a SIP URI nor a phone number');
    expect(check('acc_1', '+1646,,12x')).toThrow('meeting_url after the number: "x" at character 5');
    expect(check('acc_1', 'tel:+33-1-23-45-67-89')).not.toThrow();
    expect(check('acc_1', '+33 1 23 45 67 89')).not.toThrow();
    expect(check('acc_1', 'sips:+331@127.0.0.1')).toThrow(
      'meeting_url is a sips URI, which only a trunk with transport "tls" can call; this one has "udp"',
    );
  });
});
