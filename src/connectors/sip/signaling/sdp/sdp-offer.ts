import type { EventFormat, RtpCodec, RtpConfig } from '../../../../rtp/rtp-protocol.ts';
import { cryptoAttribute, type LocalKeys, type PeerCrypto, SRTP_SUITES } from './sdes.ts';
import { clockRateHz, eventsBeside, type PeerCodec } from './sdp-formats.ts';
import { type AudioFormats, audioLines, type LocalAudio, sdpText, sessionLines } from './sdp-local.ts';
import type { PeerAudio, PeerDescription } from './sdp-peer.ts';

/** Outcome of an offer and its answer. The leg adds the fields that SDP does not contain. */
export type AgreedMedia = Omit<
  RtpConfig,
  'mediaTimeoutMs' | 'remotePlausible' | 'signalingHost' | 'behindNat'
> & { readonly remoteHost: string };

/**
 * Writes our offer. With SRTP required, it is RTP/SAVP. With SRTP optional, it is RTP/AVP with crypto lines: peers
 * without SRTP ignore them and peers with SRTP answer them ("optimistic" SRTP), so one INVITE serves both.
 */
export function writeOffer(local: LocalAudio, version: number): string {
  const { keys, srtp } = local;
  return sdpText([
    ...sessionLines(local, version),
    ...audioLines(local, srtp === 'required' ? 'RTP/SAVP' : 'RTP/AVP', offeredFormats(local), 'sendrecv'),
    ...(srtp === 'off' ? [] : SRTP_SUITES.map((suite, index) => cryptoAttribute(index + 1, suite, keys))),
  ]);
}

/** Returns the formats of our offer, with today's payload types. */
export function offeredFormats(local: LocalAudio): AudioFormats {
  const { codecs, payloadTypes } = local;
  return {
    codecs: codecs.map((codec) => ({ codec, payloadType: payloadTypes.ofCodec(codec) })),
    events: offeredEvents(local),
  };
}

/** Telephone events at each codec's clock rate, and always at 8000 Hz, because many peers support no other. */
function offeredEvents({ codecs, payloadTypes }: LocalAudio): EventFormat[] {
  const clocks = new Set<number>([...codecs.map(clockRateHz), 8_000]);
  return [...clocks].map((rateHz) => ({ payloadType: payloadTypes.ofEvents(rateHz), clockRateHz: rateHz }));
}

/**
 * Evaluates the answer to our offer; null when it is unusable. The peer sends under the numbers that we `offered` (RFC 3264
 * section 5.1), many send under their own, and some what they did not answer. So all of both are received.
 */
export function agreeOnAnswer(
  answer: PeerDescription,
  local: LocalAudio,
  offered: AudioFormats = offeredFormats(local),
): AgreedMedia | null {
  const audio = answer.audio.find((each) => each.lineIndex === 0);
  const codec = audio === undefined ? null : chosenCodec(audio, local.codecs);
  if (audio === undefined || codec === null) return null;
  const crypto = audio.crypto[0] ?? null;
  if (crypto === null && (local.srtp === 'required' || audio.protocol.startsWith('RTP/SAVP'))) return null;
  const { codecs, events } = audio.formats;
  const received = {
    codecs: [...codecs.filter((each) => local.codecs.includes(each.codec)), ...offered.codecs],
    events: [...events, ...offered.events],
  };
  return agreedMedia({ ...audio, received }, codec, local.srtp === 'off' ? null : crypto, local.keys);
}

/**
 * Returns the peer's first codec that we support (RFC 3264 sections 6.1 and 7); the peer's order decides. Null when
 * there is none.
 */
export function chosenCodec({ formats }: PeerAudio, codecs: readonly RtpCodec[]): PeerCodec | null {
  return formats.codecs.find(({ codec }) => codecs.includes(codec)) ?? null;
}

/** Returns the media that results from the peer's audio line. `crypto` is null for plain RTP. */
export function agreedMedia(
  {
    host,
    port,
    rtcpPort,
    formats,
    received,
    direction,
    reachable,
  }: PeerAudio & { readonly received: AudioFormats },
  { codec, payloadType, opus }: PeerCodec,
  crypto: PeerCrypto | null,
  keys: LocalKeys,
): AgreedMedia {
  const events = eventsBeside(codec, formats);
  return {
    remoteHost: host,
    remotePort: port,
    remoteRtcpPort: rtcpPort,
    codec,
    payloadType,
    dtmfPayloadType: events?.payloadType ?? null,
    dtmfClockRateHz: events?.clockRateHz ?? clockRateHz(codec),
    received: {
      codecs: received.codecs.map(({ codec: name, payloadType: type }) => ({
        codec: name,
        payloadType: type,
      })),
      events: received.events,
    },
    opus,
    // The peer describes its own directions, so ours are the opposite (RFC 3264 section 6.1).
    sending: reachable && (direction === 'sendrecv' || direction === 'recvonly'),
    receiving: direction === 'sendrecv' || direction === 'sendonly',
    srtp: crypto && { suite: crypto.suite, localKey: keys[crypto.suite], remoteKey: crypto.key },
  };
}
