import type { SipCodec, SipMediaConfig } from '../../media-protocol.ts';
import { cryptoAttribute, SRTP_SUITES } from './sdes.ts';
import { clockRateHz, eventsBeside, type PeerCodec, type PeerEvents } from './sdp-formats.ts';
import { audioLines, type LocalAudio, type NumberedCodec, sdpText, sessionLines } from './sdp-local.ts';
import type { PeerAudio, PeerDescription } from './sdp-peer.ts';

/** Outcome of an offer and its answer. The leg adds the fields that SDP does not contain. */
export type AgreedMedia = Omit<
  SipMediaConfig,
  'mediaTimeoutMs' | 'remotePlausible' | 'signalingHost' | 'behindNat'
> & { readonly remoteHost: string };

/**
 * Writes our offer. With SRTP required, it is RTP/SAVP. With SRTP optional, it is RTP/AVP with crypto lines: peers
 * without SRTP ignore them and peers with SRTP answer them ("optimistic" SRTP), so one INVITE serves both.
 */
export function writeOffer(local: LocalAudio, version: number): string {
  const protocol = local.srtp === 'required' ? 'RTP/SAVP' : 'RTP/AVP';
  const crypto =
    local.srtp === 'off'
      ? []
      : SRTP_SUITES.map((suite, index) => cryptoAttribute(index + 1, suite, local.keys));
  return sdpText([
    ...sessionLines(local, version),
    ...audioLines(
      local,
      protocol,
      { codecs: offeredCodecs(local), events: offeredEvents(local) },
      'sendrecv',
    ),
    ...crypto,
  ]);
}

function offeredCodecs({ codecs, payloadTypes }: LocalAudio): NumberedCodec[] {
  return codecs.map((codec) => ({ codec, payloadType: payloadTypes.ofCodec(codec) }));
}

/** Telephone events at each codec's clock rate, and always at 8000 Hz, because many peers support no other. */
function offeredEvents({ codecs, payloadTypes }: LocalAudio): PeerEvents[] {
  const clocks = new Set<number>([...codecs.map(clockRateHz), 8_000]);
  return [...clocks].map((rateHz) => ({ payloadType: payloadTypes.ofEvents(rateHz), clockRateHz: rateHz }));
}

/** Evaluates the answer to our offer; null when it is unusable. */
export function agreeOnAnswer(answer: PeerDescription, local: LocalAudio): AgreedMedia | null {
  const audio = answer.audio.find((each) => each.lineIndex === 0);
  const codec = audio === undefined ? null : chosenCodec(audio, local.codecs);
  if (audio === undefined || codec === null) return null;
  const crypto = audio.crypto[0];
  if (crypto === undefined && (local.srtp === 'required' || audio.protocol.startsWith('RTP/SAVP')))
    return null;
  return {
    ...addressOf(audio),
    ...formatOf(audio, codec),
    ...flowOf(audio),
    srtp:
      crypto === undefined || local.srtp === 'off'
        ? null
        : { suite: crypto.suite, localKey: local.keys[crypto.suite], remoteKey: crypto.key },
  };
}

/**
 * Returns the peer's first codec that we support (RFC 3264 sections 6.1 and 7); the peer's order decides. Null when
 * there is none.
 */
export function chosenCodec({ formats }: PeerAudio, codecs: readonly SipCodec[]): PeerCodec | null {
  return formats.codecs.find(({ codec }) => codecs.includes(codec)) ?? null;
}

export function formatOf(
  { formats }: PeerAudio,
  { codec, payloadType, opus }: PeerCodec,
): Pick<AgreedMedia, 'codec' | 'payloadType' | 'dtmfPayloadType' | 'dtmfClockRateHz' | 'opus'> {
  const events = eventsBeside(codec, formats);
  return {
    codec,
    payloadType,
    dtmfPayloadType: events?.payloadType ?? null,
    dtmfClockRateHz: events?.clockRateHz ?? clockRateHz(codec),
    opus,
  };
}

export function addressOf(
  audio: PeerAudio,
): Pick<AgreedMedia, 'remoteHost' | 'remotePort' | 'remoteRtcpPort'> {
  return { remoteHost: audio.host, remotePort: audio.port, remoteRtcpPort: audio.rtcpPort };
}

/** Returns our media directions from the peer's description of its own (RFC 3264 section 6.1). */
export function flowOf(audio: PeerAudio): Pick<AgreedMedia, 'sending' | 'receiving'> {
  const { direction, reachable } = audio;
  return {
    sending: reachable && (direction === 'sendrecv' || direction === 'recvonly'),
    receiving: direction === 'sendrecv' || direction === 'sendonly',
  };
}
