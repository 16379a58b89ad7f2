import { describe, expect, it } from 'vitest';
import { answerOffer, codecInCommon } from '../../../../../src/connectors/sip/signaling/sdp/sdp-answer.ts';
import { offeredRateHz } from '../../../../../src/connectors/sip/signaling/sdp/sdp-formats.ts';
import { agreeOnAnswer, writeOffer } from '../../../../../src/connectors/sip/signaling/sdp/sdp-offer.ts';
import {
  type PeerDescription,
  parsePeerDescription,
} from '../../../../../src/connectors/sip/signaling/sdp/sdp-peer.ts';
import type { RtpCodec } from '../../../../../src/rtp/rtp-protocol.ts';
import { localAudio } from './local-audio.ts';

const WIDE: readonly RtpCodec[] = ['G722', 'PCMU', 'PCMA'];

const local = (codecs = WIDE) => localAudio('off', codecs);

function peer(payloads: string, ...attributes: string[]): PeerDescription {
  const audio = [`m=audio 4000 RTP/AVP ${payloads}`, ...attributes.map((each) => `a=${each}`)];
  const session = ['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', 'c=IN IP4 198.51.100.7', 't=0 0'];
  return parsePeerDescription([...session, ...audio, ''].join('\r\n'))!;
}

const answerTo = (payloads: string, ...attributes: string[]) =>
  answerOffer(peer(payloads, ...attributes), local());

describe('an offer of G.722', () => {
  it('has the clock rate of RFC 3551, payload type 9, and events at that rate', () => {
    expect(writeOffer(local(), 1).split('\r\n').slice(5)).toEqual([
      'm=audio 20000 RTP/AVP 9 0 8 101',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ]);
  });

  it.each([
    [['PCMU', 'PCMA'], 8_000],
    [['PCMU', 'G722'], 16_000],
    [['G722'], 16_000],
    [['G722', 'opus', 'PCMU'], 48_000],
  ] as const)('beside the others of %j leads to a room of %i Hz', (codecs, rateHz) => {
    expect(offeredRateHz(codecs)).toBe(rateHz);
  });

  it('is agreed on when the peer answers with it, with or without a map', () => {
    const agreed = {
      codec: 'G722',
      payloadType: 9,
      dtmfPayloadType: null,
      dtmfClockRateHz: 8_000,
      opus: null,
    };
    expect(agreeOnAnswer(peer('9'), local())).toMatchObject(agreed);
    expect(agreeOnAnswer(peer('9', 'rtpmap:9 G722/8000'), local())).toMatchObject(agreed);
    expect(agreeOnAnswer(peer('9'), local(['PCMU']))).toBeNull();
  });
});

describe('an answer to an offer of G.722', () => {
  it('has the one codec that was chosen, and its map', () => {
    const answer = answerTo('9 8 0 3 18 101', 'rtpmap:9 G722/8000', 'rtpmap:101 telephone-event/8000');
    expect(answer?.agreed).toMatchObject({ codec: 'G722', payloadType: 9, dtmfPayloadType: 101 });
    expect(answer?.write(1).split('\r\n').slice(5)).toEqual([
      'm=audio 20000 RTP/AVP 9 101',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ]);
  });

  it('has no map of G.722 when another codec was chosen', () => {
    const answer = answerTo('8 0 9', 'rtpmap:8 PCMA/8000', 'rtpmap:9 G722/8000');
    expect(answer?.agreed.codec).toBe('PCMA');
    expect(answer?.write(1)).not.toContain('G722');
  });

  // A number of channels is allowed. Some state the rate at which G.722 samples instead of its clock rate.
  it.each(['G722/8000', 'g722/8000', 'G722/8000/1', 'G722/16000', 'G722/16000/1', 'G722'])(
    'takes %s for G.722, and names it correctly',
    (map) => {
      const answer = answerTo('97 0', `rtpmap:97 ${map}`);
      expect(answer?.agreed).toMatchObject({ codec: 'G722', payloadType: 97 });
      expect(answer?.write(1)).toContain('m=audio 20000 RTP/AVP 97\r\na=rtpmap:97 G722/8000\r\n');
    },
  );

  it.each([
    'G722/8000/2',
    'G722/48000',
    'G7221/16000',
    'G722-1/16000',
    'G722.1/16000',
    'G722_2/16000',
    'AMR-WB/16000',
  ])('does not take %s for G.722', (map) => {
    expect(answerTo('97 0', `rtpmap:97 ${map}`, 'fmtp:97 bitrate=32000')?.agreed.codec).toBe('PCMU');
    expect(answerTo('9', `rtpmap:9 ${map}`)).toBeNull();
  });

  it('picks G.722 from among its relatives', () => {
    const answer = answerTo(
      '117 118 9 120',
      ...['rtpmap:117 G7221/16000', 'fmtp:117 bitrate=24000', 'rtpmap:118 G7221/32000'],
      ...['rtpmap:9 G722/8000/1', 'fmtp:9 bitrate=64000', 'rtpmap:120 AMR-WB/16000', 'maxptime:20'],
    );
    expect(answer?.agreed).toMatchObject({ codec: 'G722', payloadType: 9 });
  });

  it.each([10, 30, 40])('is not affected by packets of %i ms that the peer wishes for', (ptime) => {
    expect(answerTo('9', `ptime:${ptime}`, `maxptime:${ptime}`)?.agreed.codec).toBe('G722');
  });

  it('ignores comfort noise at any clock rate', () => {
    const answer = answerTo('13 98 9', 'rtpmap:13 CN/8000', 'rtpmap:98 CN/16000', 'rtpmap:9 G722/8000');
    expect(answer?.write(1)).toContain('m=audio 20000 RTP/AVP 9\r\n');
  });

  it.each([
    ['9 101', 101, 8_000],
    ['9 102', 102, 16_000],
    ['9 102 101', 101, 8_000],
    ['0 102', null, 8_000],
  ])('to %s has events %s, at %i Hz', (payloads, dtmfPayloadType, dtmfClockRateHz) => {
    const events = ['rtpmap:101 telephone-event/8000', 'rtpmap:102 telephone-event/16000'];
    expect(answerTo(payloads, ...events)?.agreed).toMatchObject({ dtmfPayloadType, dtmfClockRateHz });
  });

  it('is none unless the codecs of this side allow it', () => {
    expect(codecInCommon(peer('9 0'), 'off', WIDE)).toBe('G722');
    expect(codecInCommon(peer('9 0'), 'off', ['opus', 'PCMU'])).toBe('PCMU');
    expect(codecInCommon(peer('9'), 'off', ['opus', 'PCMU'])).toBeNull();
  });
});
