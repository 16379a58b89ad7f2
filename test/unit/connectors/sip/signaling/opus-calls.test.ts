import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, trunkTo } from './start-connector.ts';

const OPUS = ['rtpmap:96 opus/48000/2', 'fmtp:96 maxaveragebitrate=24000;useinbandfec=1'];

describe('calls with Opus', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;
  let notes: RecordedLeg;
  let uri: string;

  beforeEach(async () => {
    gateway = await ConnectorUnderTest.start({ codecs: ['opus', 'PCMU', 'PCMA'] });
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    gateway.connector.putNumber(NUMBER);
    notes = new RecordedLeg();
    uri = `sip:+33123456789@${gateway.uri}`;
  });

  afterEach(async () => {
    notes.media.close();
    peer.stop();
    await gateway.stop();
  });

  /** Calls the gateway as soon as it knows the trunk's address, and answers there; returns what was agreed. */
  async function ring(offer: string) {
    await waitFor('the call to be let in', async () => {
      peer.send('OPTIONS', uri, { callId: 'probe', cseq: 1 });
      return peer.statuses('OPTIONS').length > 0;
    });
    peer.send('INVITE', uri, { callId: 'c1', cseq: 1, body: offer });
    const { call, leg, notes: called } = await gateway.answerer.next();
    leg.accept();
    const { content, headers } = await peer.response(200, 'INVITE');
    const contact = (headers.contact as { uri: string }[])[0]!.uri;
    const dialog = { callId: 'c1', to: uri, toTag: headers.to.params.tag! };
    return { call, called, content, contact, dialog };
  }

  async function answered(answer: string): Promise<void> {
    const request = dialTo('sip:+33123456789@127.0.0.1');
    gateway.connector.dial(request, notes.media, notes);
    peer.answer(await peer.request('INVITE'), 200, { body: answer });
    await notes.waitFor('answered');
  }

  it('have rooms at 48 kHz when outbound, whatever is answered', async () => {
    expect(gateway.connector.prepare(dialTo('sip:1@127.0.0.1')).sampleRateHz).toBe(48_000);
    await answered(sdp(40_000, { codecs: '0 101' }));
    expect(peer.requests('INVITE')[0]!.content).toContain('RTP/AVP 111 0 8 110 101\r\n');
    expect(notes.media.opens.map(({ sampleRateHz }) => sampleRateHz)).toEqual([48_000]);
    expect(notes.media.config).toMatchObject({ codec: 'PCMU', dtmfClockRateHz: 8_000, opus: null });
  });

  it('pass what the peer asks for to the media', async () => {
    await answered(sdp(40_000, { codecs: '96 101', attributes: OPUS }));
    expect(notes.media.config).toMatchObject({
      codec: 'opus',
      payloadType: 96,
      dtmfPayloadType: 101,
      dtmfClockRateHz: 8_000,
      opus: { maxBitrateBps: 24_000, inbandFec: true },
    });
  });

  it.each([
    ['Opus first', sdp(40_000, { codecs: '96 0', attributes: OPUS }), 48_000, 'opus'],
    ['Opus last', sdp(40_000, { codecs: '0 96', attributes: OPUS }), 8_000, 'PCMU'],
    ['no Opus', sdp(40_000, { codecs: '8' }), 8_000, 'PCMA'],
  ])('that come in with %s have the rate of the chosen codec', async (_what, offer, sampleRateHz, codec) => {
    const { call, called } = await ring(offer);
    expect(call.sampleRateHz).toBe(sampleRateHz);
    expect(called.media.opens).toMatchObject([{ sampleRateHz }]);
    expect(called.media.config).toMatchObject({ codec });
  });

  it('that come in without an offer are offered Opus, at 48 kHz', async () => {
    const { call, called, content, contact, dialog } = await ring('');
    expect(call.sampleRateHz).toBe(48_000);
    expect(content).toContain('RTP/AVP 111 0 8 110 101\r\n');
    const body = sdp(42_000, { codecs: '111', attributes: ['rtpmap:111 opus/48000/2'] });
    peer.send('ACK', contact, { ...dialog, cseq: 1, branch: 'z9hG4bKack', body });
    await called.waitFor('answered');
    expect(called.media.config).toMatchObject({ codec: 'opus', payloadType: 111, dtmfPayloadType: null });
  });

  it('follow hold, resume, and a change of codec and back, in one room', async () => {
    const { call, called, contact, dialog } = await ring(sdp(40_000, { codecs: '96 101', attributes: OPUS }));
    peer.send('ACK', contact, { ...dialog, cseq: 1, branch: 'z9hG4bKack' });
    await called.waitFor('answered');
    const reInvite = async (cseq: number, body: string, status = 200) => {
      peer.send('INVITE', contact, { ...dialog, cseq, body });
      const { content } = await peer.response(status, 'INVITE');
      peer.send('ACK', contact, { ...dialog, cseq, branch: `z9hG4bKack${cseq}` });
      return content;
    };
    const opus = { codecs: '96 101', attributes: OPUS };
    expect(await reInvite(2, sdp(40_000, { ...opus, direction: 'sendonly' }))).toContain('a=recvonly');
    expect(called.media.config).toMatchObject({ codec: 'opus', sending: false, receiving: true });
    await reInvite(3, sdp(40_000, opus));
    expect(called.media.config).toMatchObject({ codec: 'opus', sending: true });
    expect(await reInvite(4, sdp(40_000, { codecs: '8 101' }))).toContain('RTP/AVP 8 101\r\n');
    expect(called.media.config).toMatchObject({ codec: 'PCMA', payloadType: 8, opus: null });
    await reInvite(5, sdp(40_000, { codecs: '18' }), 488);
    expect(called.media.config).toMatchObject({ codec: 'PCMA' });
    // The gateway's offer: with the payload types that the peer has used before.
    expect(await reInvite(6, '')).toContain('RTP/AVP 96 0 8 110 101\r\n');
    await reInvite(7, sdp(40_000, opus));
    expect(called.media.config).toMatchObject({ codec: 'opus', payloadType: 96 });
    expect(called.media.opens).toHaveLength(1);
    expect(call.sampleRateHz).toBe(48_000);
  });
});

it('are refused with 488 where Opus is not configured and nothing else is offered', async () => {
  const gateway = await ConnectorUnderTest.start();
  const peer = await ScriptedPeer.start();
  peer.facing(gateway.connector.port!);
  gateway.connector.putTrunk(trunkTo(peer.port));
  gateway.connector.putNumber(NUMBER);
  expect(gateway.connector.prepare(dialTo('sip:1@127.0.0.1'))).toEqual({
    capabilities: ['audio_in', 'audio_out'],
    sampleRateHz: 8_000,
  });
  const uri = `sip:+33123456789@${gateway.uri}`;
  await waitFor('the call to be let in', async () => {
    peer.send('OPTIONS', uri, { callId: 'probe', cseq: 1 });
    return peer.statuses('OPTIONS').length > 0;
  });
  peer.send('INVITE', uri, { callId: 'c1', cseq: 1, body: sdp(40_000, { codecs: '96', attributes: OPUS }) });
  await peer.response(488, 'INVITE');
  expect(gateway.answerer.calls).toHaveLength(0);
  peer.stop();
  await gateway.stop();
});
