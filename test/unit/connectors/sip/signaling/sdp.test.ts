import { describe, expect, it } from 'vitest';
import { answerOffer } from '../../../../../src/connectors/sip/signaling/sdp/sdp-answer.ts';
import type { SrtpPolicy } from '../../../../../src/connectors/sip/signaling/sdp/sdp-local.ts';
import { agreeOnAnswer, writeOffer } from '../../../../../src/connectors/sip/signaling/sdp/sdp-offer.ts';
import { parsePeerDescription } from '../../../../../src/connectors/sip/signaling/sdp/sdp-peer.ts';
import type { RtpCodec } from '../../../../../src/rtp/rtp-protocol.ts';
import { localAudio } from './local-audio.ts';

const KEY = Buffer.alloc(30, 7).toString('base64');

const local = (srtp: SrtpPolicy = 'off', codecs: readonly RtpCodec[] = ['PCMU', 'PCMA']) =>
  localAudio(srtp, codecs);

function peer(audio: readonly string[], session: readonly string[] = ['c=IN IP4 198.51.100.7']) {
  const lines = ['v=0', 'o=- 1 1 IN IP4 198.51.100.7', 's=-', ...session, 't=0 0', ...audio, ''];
  return parsePeerDescription(lines.join('\r\n'))!;
}

describe('SDP', () => {
  it('picks the offerer’s first known codec, with its payload types', () => {
    const offer = peer([
      'm=audio 4000 RTP/AVP 9 97 0 96',
      'a=rtpmap:9 G722/8000',
      'a=rtpmap:97 pcma/8000',
      'a=rtpmap:96 telephone-event/8000',
    ]);
    const answer = answerOffer(offer, local())!;
    expect(answer.agreed).toEqual({
      remoteHost: '198.51.100.7',
      remotePort: 4_000,
      remoteRtcpPort: 4_001,
      codec: 'PCMA',
      payloadType: 97,
      dtmfPayloadType: 96,
      dtmfClockRateHz: 8_000,
      received: {
        codecs: [
          { codec: 'G722', payloadType: 9 },
          { codec: 'PCMA', payloadType: 97 },
          { codec: 'PCMU', payloadType: 0 },
        ],
        events: [{ payloadType: 96, clockRateHz: 8_000 }],
      },
      opus: null,
      sending: true,
      receiving: true,
      srtp: null,
    });
    const text = answer.write(3);
    expect(text).toContain('o=- 5 3 IN IP4 192.0.2.1\r\n');
    expect(text).toContain('m=audio 20000 RTP/AVP 97 96\r\na=rtpmap:97 PCMA/8000\r\n');
  });

  it('rejects every other line with port 0, in the order of the offer', () => {
    const offer = peer([
      'm=video 6000 RTP/AVP 99',
      'a=rtpmap:99 H264/90000',
      'm=audio 4000 RTP/AVP 0',
      'm=audio 4002 RTP/AVP 0',
      'm=image 4004 udptl t38',
    ]);
    const lines = answerOffer(offer, local())!
      .write(1)
      .split('\r\n')
      .filter((line) => line.startsWith('m='));
    expect(lines).toEqual([
      'm=video 0 RTP/AVP 99',
      'm=audio 20000 RTP/AVP 0',
      'm=audio 0 RTP/AVP 0',
      'm=image 0 udptl t38',
    ]);
  });

  it.each([
    ['sendonly', { sending: false, receiving: true }, 'recvonly'],
    ['recvonly', { sending: true, receiving: false }, 'sendonly'],
    ['inactive', { sending: false, receiving: false }, 'inactive'],
    ['sendrecv', { sending: true, receiving: true }, 'sendrecv'],
  ])('answers %s', (direction, flow, answered) => {
    const answer = answerOffer(peer(['m=audio 4000 RTP/AVP 0', `a=${direction}`]), local())!;
    expect(answer.agreed).toMatchObject(flow);
    expect(answer.write(1)).toContain(`a=${answered}\r\n`);
  });

  it('understands the hold of RFC 2543 and directions at session level', () => {
    const held = answerOffer(peer(['m=audio 4000 RTP/AVP 0'], ['c=IN IP4 0.0.0.0']), local())!;
    expect(held.agreed).toMatchObject({ sending: false, receiving: true });
    const session = ['c=IN IP4 198.51.100.7', 'a=inactive'];
    expect(answerOffer(peer(['m=audio 4000 RTP/AVP 0'], session), local())!.agreed.sending).toBe(false);
  });

  it('reads RTCP ports, rtcp-mux and addresses of the media line', () => {
    const audio = ['m=audio 4000 RTP/AVP 0', 'c=IN IP6 2001:db8::1', 'a=rtcp:4999'];
    expect(answerOffer(peer(audio), local())!.agreed).toMatchObject({
      remoteHost: '2001:db8::1',
      remoteRtcpPort: 4_999,
    });
    const unreadable = answerOffer(peer(['m=audio 4000 RTP/AVP 0', 'a=rtcp:x']), local())!;
    expect(unreadable.agreed.remoteRtcpPort).toBe(4_000);
    const mux = answerOffer(peer(['m=audio 4000 RTP/AVP 0', 'a=rtcp-mux']), local())!;
    expect(mux.agreed.remoteRtcpPort).toBe(4_000);
    expect(mux.write(1)).toContain('a=rtcp-mux');
  });

  it.each([
    ['no codec in common', ['m=audio 4000 RTP/AVP 18']],
    ['PCMU at another rate', ['m=audio 4000 RTP/AVP 96', 'a=rtpmap:96 PCMU/16000']],
    ['no audio', ['m=video 4000 RTP/AVP 99']],
    ['audio that is switched off', ['m=audio 0 RTP/AVP 0']],
    ['an address that is a name', ['m=audio 4000 RTP/AVP 0', 'c=IN IP4 media.example.com']],
    ['DTLS', ['m=audio 4000 UDP/TLS/RTP/SAVP 0']],
  ])('agrees on nothing for %s', (_what, audio) => {
    expect(answerOffer(peer(audio), local())).toBeNull();
  });

  it('parses garbage as null', () => {
    for (const text of ['', 'hello', 'v=0\r\n', `v=0\r\n${'a'.repeat(40_000)}`]) {
      expect(parsePeerDescription(text)).toBeNull();
    }
  });

  const secure = (config = `inline:${KEY}`, suite = 'AES_CM_128_HMAC_SHA1_80', parameters = '') => [
    'm=audio 4000 RTP/SAVP 0',
    'a=crypto:1 AEAD_AES_256_GCM inline:AAAA',
    `a=crypto:4 ${suite} ${config}${parameters}`,
  ];

  it('answers SDES with its own key under the tag of the offer', () => {
    const audio = local('optional');
    const answer = answerOffer(peer(secure(`inline:${KEY}|2^31`)), audio)!;
    expect(answer.agreed.srtp?.suite).toBe('AES_CM_128_HMAC_SHA1_80');
    expect(Buffer.from(answer.agreed.srtp!.remoteKey)).toEqual(Buffer.alloc(30, 7));
    const own = Buffer.from(audio.keys.AES_CM_128_HMAC_SHA1_80).toString('base64');
    expect(answer.write(1)).toContain(`a=crypto:4 AES_CM_128_HMAC_SHA1_80 inline:${own}\r\n`);
    expect(answer.write(1)).toContain('RTP/SAVP 0');
  });

  it('follows the trunk’s SRTP policy', () => {
    expect(answerOffer(peer(secure()), local('off'))).toBeNull();
    expect(answerOffer(peer(['m=audio 4000 RTP/AVP 0']), local('required'))).toBeNull();
    expect(answerOffer(peer(['m=audio 4000 RTP/AVP 0']), local('optional'))!.agreed.srtp).toBeNull();
    expect(
      answerOffer(peer(secure(`inline:${KEY}`, undefined, ' UNENCRYPTED_SRTP')), local('required')),
    ).toBeNull();
    expect(answerOffer(peer(secure('inline:c2hvcnQ=')), local('required'))).toBeNull();
    // A master key identifier would be in every packet.
    expect(answerOffer(peer(secure(`inline:${KEY}|2^31|1:4`)), local('required'))).toBeNull();
    expect(answerOffer(peer(secure(`inline:${KEY};inline:${KEY}`)), local('required'))).toBeNull();
  });

  it('chooses the audio line that fits its policy when the offer has one with SRTP and one without', () => {
    const both = peer([...secure(), 'm=audio 4100 RTP/AVP 8']);
    const plain = answerOffer(both, local('off'))!;
    expect(plain.agreed).toMatchObject({ remotePort: 4_100, codec: 'PCMA', srtp: null });
    expect(plain.write(1)).toMatch(/m=audio 0 RTP\/SAVP 0\r\nm=audio 20000 RTP\/AVP 8\r\n/);
    const secured = answerOffer(both, local('optional'))!;
    expect(secured.agreed.srtp).not.toBeNull();
    expect(secured.write(1)).toContain('m=audio 0 RTP/AVP 8\r\n');
  });

  it.each([
    ['off', 'RTP/AVP', 0],
    ['optional', 'RTP/AVP', 2],
    ['required', 'RTP/SAVP', 2],
  ] as const)('offers SRTP %s as %s with %i keys', (policy, protocol, keys) => {
    const offer = writeOffer(local(policy), 1);
    expect(offer).toContain(`m=audio 20000 ${protocol} 0 8 101\r\n`);
    expect(offer.match(/^a=crypto:/gm) ?? []).toHaveLength(keys);
  });

  it('accepts an answer with or without SRTP when it is optional', () => {
    const answered = (audio: readonly string[], policy: SrtpPolicy) =>
      agreeOnAnswer(peer(audio), local(policy));
    expect(answered(['m=audio 4000 RTP/AVP 8'], 'optional')).toMatchObject({ codec: 'PCMA', srtp: null });
    expect(
      answered(['m=audio 4000 RTP/AVP 8', `a=crypto:2 AES_CM_128_HMAC_SHA1_32 inline:${KEY}`], 'optional')!
        .srtp,
    ).toMatchObject({ suite: 'AES_CM_128_HMAC_SHA1_32' });
    expect(answered(['m=audio 4000 RTP/AVP 8'], 'required')).toBeNull();
    expect(answered(['m=audio 0 RTP/AVP 8'], 'off')).toBeNull();
  });
});
