import { describe, expect, it } from 'vitest';
import { answerOffer, codecInCommon } from '../../../../../src/connectors/sip/signaling/sdp/sdp-answer.ts';
import type { SrtpPolicy } from '../../../../../src/connectors/sip/signaling/sdp/sdp-local.ts';
import { agreeOnAnswer, writeOffer } from '../../../../../src/connectors/sip/signaling/sdp/sdp-offer.ts';
import {
  type PeerDescription,
  parsePeerDescription,
} from '../../../../../src/connectors/sip/signaling/sdp/sdp-peer.ts';
import type { RtpCodec } from '../../../../../src/rtp/rtp-protocol.ts';
import { localAudio } from './local-audio.ts';

const ALL: readonly RtpCodec[] = ['opus', 'PCMU', 'PCMA'];
const FMTP = 'useinbandfec=1;maxaveragebitrate=32000';

const local = (codecs = ALL, srtp: SrtpPolicy = 'off') => localAudio(srtp, codecs);

function peer(payloads: string, ...attributes: string[]): PeerDescription {
  const audio = [`m=audio 4000 RTP/AVP ${payloads}`, ...attributes.map((each) => `a=${each}`)];
  const session = ['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', 'c=IN IP4 198.51.100.7', 't=0 0'];
  return parsePeerDescription([...session, ...audio, ''].join('\r\n'))!;
}

const agreedOn = (offer: PeerDescription, codecs = ALL) => answerOffer(offer, local(codecs))?.agreed ?? null;

describe('an SDP offer', () => {
  it('lists Opus as in RFC 7587, with events at both clock rates', () => {
    expect(writeOffer(local(), 1).split('\r\n').slice(5)).toEqual([
      'm=audio 20000 RTP/AVP 111 0 8 110 101',
      'a=rtpmap:111 opus/48000/2',
      `a=fmtp:111 ${FMTP}`,
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:110 telephone-event/48000',
      'a=fmtp:110 0-15',
      'a=rtpmap:101 telephone-event/8000',
      'a=fmtp:101 0-15',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ]);
  });

  it.each([
    [['PCMA', 'opus'], '8 111 101 110'],
    [['PCMA'], '8 101'],
    [['PCMA', 'PCMU'], '8 0 101'],
    // Peers that support events at 8000 Hz only can still send digits.
    [['opus'], '111 110 101'],
  ] as const)('for %j has that order', (codecs, payloads) => {
    expect(writeOffer(local(codecs), 1)).toContain(`m=audio 20000 RTP/AVP ${payloads}\r\n`);
  });

  it.each(['off', 'optional', 'required'] as const)(
    'has the same keys with SRTP %s as without Opus',
    (srtp) => {
      const keys = (codecs: readonly RtpCodec[]) =>
        writeOffer(local(codecs, srtp), 1).match(/^a=crypto:\d \w+/gm) ?? [];
      expect(keys(ALL)).toEqual(keys(['PCMU']));
    },
  );
});

describe('an SDP answer', () => {
  it('uses the caller’s payload type for Opus', () => {
    const offer = peer(
      '96 0 97 98',
      'rtpmap:96 OPUS/48000/2',
      'fmtp:96 maxplaybackrate=16000; MaxAverageBitrate=20000 ;useinbandfec=1; usedtx=1',
      'rtpmap:97 telephone-event/8000',
      'rtpmap:98 telephone-event/48000',
      'ptime:60',
      'maxptime:120',
    );
    const answer = answerOffer(offer, local())!;
    expect(answer.agreed).toMatchObject({
      codec: 'opus',
      payloadType: 96,
      dtmfPayloadType: 98,
      dtmfClockRateHz: 48_000,
      opus: { maxBitrateBps: 20_000, inbandFec: true },
    });
    expect(answer.write(1).split('\r\n').slice(5)).toEqual([
      'm=audio 20000 RTP/AVP 96 98',
      'a=rtpmap:96 opus/48000/2',
      `a=fmtp:96 ${FMTP}`,
      'a=rtpmap:98 telephone-event/48000',
      'a=fmtp:98 0-15',
      'a=ptime:20',
      'a=sendrecv',
      '',
    ]);
  });

  it.each([
    ['111 0 8', 'opus'],
    ['0 111', 'PCMU'],
    ['9 8 111 0', 'PCMA'],
  ])('to %s picks the caller’s first codec, %s', (payloads, codec) => {
    const offer = peer(payloads, 'rtpmap:111 opus/48000/2');
    expect(agreedOn(offer)?.codec).toBe(codec);
    expect(agreedOn(offer, ['PCMA', 'PCMU', 'opus'])?.codec).toBe(codec);
    expect(codecInCommon(offer, 'off', ALL)).toBe(codec);
  });

  it('uses configured codecs only', () => {
    const offer = peer('111 0', 'rtpmap:111 opus/48000/2');
    expect(agreedOn(offer, ['PCMU', 'PCMA'])).toMatchObject({ codec: 'PCMU', opus: null });
    expect(agreedOn(offer, ['PCMA'])).toBeNull();
    expect(codecInCommon(offer, 'off', ['PCMA'])).toBeNull();
    expect(codecInCommon(offer, 'required', ALL)).toBeNull();
  });

  it('to a caller with Opus only is Opus or nothing', () => {
    const offer = peer('111', 'rtpmap:111 opus/48000/2');
    expect(agreedOn(offer)).toMatchObject({
      codec: 'opus',
      dtmfPayloadType: null,
      opus: { maxBitrateBps: null, inbandFec: false },
    });
    expect(agreedOn(offer, ['PCMU', 'PCMA'])).toBeNull();
  });

  it.each(['opus/48000/2', 'opus/48000/1', 'opus/48000', 'Opus/48000/2'])('accepts %s as Opus', (map) => {
    const answer = answerOffer(peer('100', `rtpmap:100 ${map}`), local())!;
    expect(answer.write(1)).toContain('a=rtpmap:100 opus/48000/2\r\n');
  });

  it.each([
    'opus/48000/6',
    'opus/48000/0',
    'opus/16000/2',
    'opus/8000',
    'opus',
    'opus/abc/2',
    'opusx/48000/2',
  ])('does not accept %s as Opus', (map) => expect(agreedOn(peer('100', `rtpmap:100 ${map}`))).toBeNull());

  it('does not send Opus to peers that cannot take 20 ms at once', () => {
    const offer = (maxptime: string) => peer('100 0', 'rtpmap:100 opus/48000/2', `maxptime:${maxptime}`);
    expect(agreedOn(offer('10'))?.codec).toBe('PCMU');
    expect(agreedOn(offer('20'))?.codec).toBe('opus');
    expect(agreedOn(offer('often'))?.codec).toBe('opus');
  });
});

describe('the Opus parameters of the peer', () => {
  const asked = (parameters: string) =>
    agreedOn(peer('100', 'rtpmap:100 opus/48000/2', `fmtp:100 ${parameters}`))?.opus;

  it.each([
    ['maxaveragebitrate=24000', 24_000],
    ['maxaveragebitrate=1', 6_000],
    ['maxaveragebitrate=0', 6_000],
    ['maxaveragebitrate=999999', 510_000],
    ['maxaveragebitrate=', null],
    ['maxaveragebitrate', null],
    ['maxaveragebitrate=-1', null],
    ['maxaveragebitrate=24k', null],
    ['maxaveragebitrate=2.4e4', null],
    ['maxaveragebitrate=99999999999999999999', null],
    ['=;;=;', null],
    [';', null],
  ])('with %s limit the bitrate to %s', (parameters, maxBitrateBps) => {
    expect(asked(parameters)).toEqual({ maxBitrateBps, inbandFec: false });
  });

  it.each([
    ['useinbandfec=1', true],
    [' useinbandfec = 1 ', true],
    ['stereo=1;useinbandfec=1;usedtx=0', true],
    ['useinbandfec=0', false],
    ['useinbandfec=yes', false],
    ['useinbandfec', false],
  ])('with %s set FEC to %s', (parameters, inbandFec) => {
    expect(asked(parameters)).toMatchObject({ inbandFec });
  });

  it('are not read from other formats', () => {
    const offer = peer('100 101', 'rtpmap:100 opus/48000/2', 'rtpmap:101 x/8000', `fmtp:101 ${FMTP}`);
    expect(agreedOn(offer)?.opus).toEqual({ maxBitrateBps: null, inbandFec: false });
  });
});

describe('telephone-event', () => {
  const both = [
    'rtpmap:111 opus/48000/2',
    'rtpmap:96 telephone-event/8000',
    'rtpmap:97 telephone-event/48000',
  ];

  it.each([
    ['111 96 97', 97, 48_000],
    ['111 97 96', 97, 48_000],
    ['0 96 97', 96, 8_000],
    ['111 96', 96, 8_000],
    ['111 97', 97, 48_000],
    ['0 97', null, 8_000],
    ['111', null, 48_000],
  ])('for %s is %s, at %i Hz', (payloads, dtmfPayloadType, dtmfClockRateHz) => {
    expect(agreedOn(peer(payloads, ...both))).toMatchObject({ dtmfPayloadType, dtmfClockRateHz });
  });
});

describe('an SDP answer of the peer', () => {
  it('determines codec and events', () => {
    const agreed = (answer: PeerDescription) => agreeOnAnswer(answer, local());
    const opus = peer(
      '111 110',
      'rtpmap:111 opus/48000/2',
      'fmtp:111 useinbandfec=1',
      'rtpmap:110 telephone-event/48000',
    );
    expect(agreed(opus)).toMatchObject({
      codec: 'opus',
      payloadType: 111,
      dtmfPayloadType: 110,
      opus: { maxBitrateBps: null, inbandFec: true },
    });
    const g711 = peer('8 101', 'rtpmap:101 telephone-event/8000');
    expect(agreed(g711)).toMatchObject({ codec: 'PCMA', dtmfPayloadType: 101, opus: null });
    expect(agreeOnAnswer(opus, local(['PCMU']))).toBeNull();
  });
});

describe('payload types', () => {
  const offerAfter = (...descriptions: PeerDescription[]) => {
    const ours = local();
    for (const { audio } of descriptions) for (const { formats } of audio) ours.payloadTypes.follow(formats);
    return writeOffer(ours, 1).match(/m=audio.*|a=rtpmap.*/g);
  };

  it('in later offers are those of the peer', () => {
    expect(offerAfter(peer('96 97', 'rtpmap:96 opus/48000/2', 'rtpmap:97 telephone-event/48000'))).toEqual([
      'm=audio 20000 RTP/AVP 96 0 8 97 101',
      'a=rtpmap:96 opus/48000/2',
      'a=rtpmap:0 PCMU/8000',
      'a=rtpmap:8 PCMA/8000',
      'a=rtpmap:97 telephone-event/48000',
      'a=rtpmap:101 telephone-event/8000',
    ]);
  });

  it('are never reused for another format', () => {
    const first = peer(
      '0 111 101 96',
      'rtpmap:111 G722/16000',
      'rtpmap:101 speex/8000',
      'rtpmap:96 iLBC/8000',
    );
    expect(offerAfter(first)?.[0]).toBe('m=audio 20000 RTP/AVP 97 0 8 110 98');
    // The payload type of a format that the peer has since left out is still in use.
    const second = peer('0 110', 'rtpmap:110 opus/48000/2');
    expect(offerAfter(second, peer('0'))?.[0]).toBe('m=audio 20000 RTP/AVP 110 0 8 96 101');
  });

  it('fall back to the defaults when all are taken', () => {
    const types = Array.from({ length: 32 }, (_, index) => 96 + index);
    const all = peer(types.join(' '), ...types.map((type) => `rtpmap:${type} x${type}/8000`));
    expect(offerAfter(all)?.[0]).toBe('m=audio 20000 RTP/AVP 111 0 8 110 101');
  });
});
