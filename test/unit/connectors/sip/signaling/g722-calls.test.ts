import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { waitFor } from '../../../../support/wait-for.ts';
import { RecordedLeg } from './fake-calls.ts';
import { ScriptedPeer, sdp } from './scripted-peer.ts';
import { ConnectorUnderTest, dialTo, NUMBER, trunkTo } from './start-connector.ts';

const OPUS = ['rtpmap:96 opus/48000/2'];

describe('calls with G.722', () => {
  let gateway: ConnectorUnderTest;
  let peer: ScriptedPeer;
  let notes: RecordedLeg;
  let uri: string;

  async function start(codecs: readonly ('opus' | 'G722' | 'PCMU' | 'PCMA')[]): Promise<void> {
    gateway = await ConnectorUnderTest.start({ codecs });
    peer = await ScriptedPeer.start();
    peer.facing(gateway.connector.port!);
    gateway.connector.putTrunk(trunkTo(peer.port));
    gateway.connector.putNumber(NUMBER);
    uri = `sip:+33123456789@${gateway.uri}`;
  }

  beforeEach(() => {
    notes = new RecordedLeg();
  });

  afterEach(async () => {
    notes.media.close();
    peer.stop();
    await gateway.stop();
  });

  /** Calls the gateway as soon as it knows the trunk's address, and answers there. */
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
    peer.send('ACK', contact, { ...dialog, cseq: 1, branch: 'z9hG4bKack' });
    await called.waitFor('answered');
    return { call, called, content, contact, dialog };
  }

  it.each([
    [['G722', 'PCMU', 'PCMA'], 16_000, 'RTP/AVP 9 0 8 101\r\n'],
    [['PCMU', 'G722'], 16_000, 'RTP/AVP 0 9 101\r\n'],
    [['opus', 'G722', 'PCMU'], 48_000, 'RTP/AVP 111 9 0 110 101\r\n'],
  ] as const)(
    'have rooms for the best of %j when outbound, whatever is answered',
    async (codecs, rateHz, offer) => {
      await start(codecs);
      expect(gateway.connector.prepare(dialTo('sip:1@127.0.0.1')).sampleRateHz).toBe(rateHz);
      gateway.connector.dial(dialTo('sip:+33123456789@127.0.0.1'), notes.media, notes);
      const invite = await peer.request('INVITE');
      expect(invite.content).toContain(offer);
      peer.answer(invite, 200, { body: sdp(40_000, { codecs: '9 101' }) });
      await notes.waitFor('answered');
      expect(notes.media.opens.map(({ sampleRateHz }) => sampleRateHz)).toEqual([rateHz]);
      expect(notes.media.config).toMatchObject({
        codec: 'G722',
        payloadType: 9,
        dtmfClockRateHz: 8_000,
        opus: null,
      });
    },
  );

  it.each([
    ['G.722 first', sdp(40_000, { codecs: '9 0 96', attributes: OPUS }), 16_000, 'G722'],
    ['Opus first', sdp(40_000, { codecs: '96 9', attributes: OPUS }), 48_000, 'opus'],
    ['G.722 last', sdp(40_000, { codecs: '0 9' }), 8_000, 'PCMU'],
  ])('that come in with %s have the rate of the chosen codec', async (_what, offer, sampleRateHz, codec) => {
    await start(['opus', 'G722', 'PCMU', 'PCMA']);
    const { call, called } = await ring(offer);
    expect(call.sampleRateHz).toBe(sampleRateHz);
    expect(called.media.opens).toMatchObject([{ sampleRateHz }]);
    expect(called.media.config).toMatchObject({ codec });
  });

  it('follow a change of codec and back, in one room', async () => {
    await start(['G722', 'PCMU', 'PCMA']);
    const { call, called, contact, dialog } = await ring(sdp(40_000, { codecs: '9 101' }));
    const reInvite = async (cseq: number, codecs: string) => {
      peer.send('INVITE', contact, { ...dialog, cseq, body: sdp(40_000, { codecs }) });
      const { content } = await peer.response(200, 'INVITE');
      peer.send('ACK', contact, { ...dialog, cseq, branch: `z9hG4bKack${cseq}` });
      return content;
    };
    expect(await reInvite(2, '8 101')).toContain('RTP/AVP 8 101\r\na=rtpmap:8 PCMA/8000\r\n');
    expect(called.media.config).toMatchObject({ codec: 'PCMA', payloadType: 8 });
    expect(await reInvite(3, '9 8 101')).toContain('RTP/AVP 9 101\r\na=rtpmap:9 G722/8000\r\n');
    expect(called.media.config).toMatchObject({ codec: 'G722', payloadType: 9 });
    expect(called.media.opens).toHaveLength(1);
    expect(call.sampleRateHz).toBe(16_000);
  });
});
