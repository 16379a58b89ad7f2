import { describe, expect, it } from 'vitest';
import { writeAnswer, writeOffer } from '../../../src/webrtc/local-description.ts';
import { readDescription } from '../../../src/webrtc/remote-description.ts';
import { SeededRandom } from '../../support/seeded-random.ts';

/** As Janus offers somebody who sends a camera's picture as well, and data. */
const OFFER = [
  'v=0',
  'o=- 1795870725747364 1 IN IP4 192.0.2.2',
  's=VideoRoom',
  't=0 0',
  'a=group:BUNDLE 0 1 2',
  'a=fingerprint:sha-256 37:1C:81',
  'm=video 9 UDP/TLS/RTP/SAVPF 96 97',
  'a=mid:0',
  'a=sendonly',
  'a=ice-ufrag:fZfm',
  'a=ice-pwd:OHCQA9eMJoh+2tfGAmgCd9',
  'a=setup:actpass',
  'a=rtpmap:96 VP8/90000',
  'm=audio 9 UDP/TLS/RTP/SAVPF 63 109',
  'a=mid:1',
  'a=sendonly',
  'a=ice-ufrag:fZfm',
  'a=ice-pwd:OHCQA9eMJoh+2tfGAmgCd9',
  'a=setup:actpass',
  'a=rtpmap:63 red/48000/2',
  'a=rtpmap:109 opus/48000/2',
  'a=extmap:3 urn:ietf:params:rtp-hdrext:ssrc-audio-level',
  'a=candidate:1 1 udp 2015363327 192.0.2.2 40000 typ host',
  'm=application 9 UDP/DTLS/SCTP webrtc-datachannel',
  'a=mid:2',
  '',
].join('\r\n');

const LOCAL = {
  credentials: { usernameFragment: 'u', password: 'p' },
  fingerprint: { algorithm: 'sha-256', value: 'AA:BB' },
  candidates: ['candidate:1 1 udp 1 127.0.0.1 9 typ host'],
  ssrc: 5,
  cname: 'c',
};

describe('an offer with more than Opus', () => {
  it('is read as far as it concerns Opus', () => {
    const { media: _media, ...read } = readDescription(OFFER);
    expect(read).toEqual({
      credentials: { usernameFragment: 'fZfm', password: 'OHCQA9eMJoh+2tfGAmgCd9' },
      isLite: false,
      fingerprints: [{ algorithm: 'sha-256', value: '37:1C:81' }],
      setup: 'actpass',
      payloadType: 109,
      levelExtension: 3,
      index: 1,
      candidates: ['candidate:1 1 udp 2015363327 192.0.2.2 40000 typ host'],
    });
  });

  it('is answered with Opus alone; the rest is refused in its place', () => {
    const answer = writeAnswer(LOCAL, readDescription(OFFER), 'active');
    const lines = answer.split('\r\n');
    expect(lines.filter((line) => line.startsWith('m='))).toEqual([
      'm=video 0 UDP/TLS/RTP/SAVPF 96 97',
      'm=audio 9 UDP/TLS/RTP/SAVPF 109',
      'm=application 0 UDP/DTLS/SCTP webrtc-datachannel',
    ]);
    expect(lines.filter((line) => line.startsWith('a=mid'))).toEqual(['a=mid:0', 'a=mid:1', 'a=mid:2']);
    expect(lines).toContain('a=group:BUNDLE 1');
    expect(lines).toContain('a=rtpmap:109 opus/48000/2');
    expect(lines).toContain('a=setup:active');
    expect(answer).not.toMatch(/red|VP8/);
  });
});

it('an offer of ours can be read again', () => {
  const { payloadType, setup, credentials, candidates } = readDescription(writeOffer(LOCAL));
  expect({ payloadType, setup, credentials, candidates }).toEqual({
    payloadType: 111,
    setup: 'actpass',
    credentials: LOCAL.credentials,
    candidates: LOCAL.candidates,
  });
});

it.each([
  ['a=rtpmap:109 opus/48000/2', 'the session description has no Opus'],
  ['a=ice-pwd:OHCQA9eMJoh+2tfGAmgCd9', 'the session description has no ice-pwd'],
  ['a=fingerprint:sha-256 37:1C:81', 'the session description has no fingerprint'],
  ['a=setup:actpass', 'the session description has no setup'],
])('without %s it says so', (line, message) => {
  expect(() => readDescription(OFFER.replaceAll(`${line}\r\n`, ''))).toThrow(message);
});

it('whatever stands in a description, reading it ends in an Error at most', () => {
  const random = new SeededRandom(3);
  for (let round = 0; round < 3_000; round++) {
    const bytes = Buffer.from(OFFER);
    for (let i = 0; i < 1 + random.next() * 8; i++)
      bytes[Math.floor(random.next() * bytes.length)] = random.next() * 128;
    try {
      const read = readDescription(bytes.toString('latin1'));
      expect(
        writeAnswer(LOCAL, read, 'active')
          .split('\r\n')
          .filter((line) => line.startsWith('m=')).length,
      ).toBe(read.media.length);
    } catch (error) {
      expect((error as Error).message).toMatch(/^the session description/);
    }
  }
  expect(() => readDescription('x'.repeat(70_000))).toThrow('too long');
});
