import type { SipMediaConfig } from '../media-protocol.ts';
import { cryptoAttribute, SRTP_SUITES } from './sdes.ts';
import {
  audioLines,
  LOCAL_CODECS,
  LOCAL_DTMF_PAYLOAD_TYPE,
  type LocalAudio,
  sdpText,
  sessionLines,
} from './sdp-local.ts';
import type { PeerAudio, PeerDescription } from './sdp-peer.ts';

/** The outcome of an offer and its answer; `mediaTimeoutMs` is for the leg to add. */
export type AgreedMedia = Omit<SipMediaConfig, 'mediaTimeoutMs'>;

/**
 * Our offer. SRTP required: RTP/SAVP. Optional: RTP/AVP with crypto lines beside it, which peers without SRTP
 * read over and peers with it answer (the "optimistic" way of the field), so that one INVITE serves both.
 */
export function writeOffer(local: LocalAudio, version: number): string {
  const protocol = local.srtp === 'required' ? 'RTP/SAVP' : 'RTP/AVP';
  const crypto =
    local.srtp === 'off'
      ? []
      : SRTP_SUITES.map((suite, index) => cryptoAttribute(index + 1, suite, local.keys));
  return sdpText([
    ...sessionLines(local, version),
    ...audioLines(local, protocol, LOCAL_CODECS, LOCAL_DTMF_PAYLOAD_TYPE, 'sendrecv'),
    ...crypto,
  ]);
}

/** What an answer to our offer amounts to; null when it is none that we can work with. */
export function agreeOnAnswer(answer: PeerDescription, local: LocalAudio): AgreedMedia | null {
  const audio = answer.audio.find((each) => each.lineIndex === 0);
  const codec = audio?.codecs[0];
  if (audio === undefined || codec === undefined) return null;
  const crypto = audio.crypto[0];
  if (crypto === undefined && (local.srtp === 'required' || audio.protocol.startsWith('RTP/SAVP')))
    return null;
  return {
    ...addressOf(audio),
    codec: codec.codec,
    payloadType: codec.payloadType,
    dtmfPayloadType: audio.dtmfPayloadType,
    dtmfClockRateHz: 8_000,
    opus: null,
    ...flowOf(audio),
    srtp:
      crypto === undefined || local.srtp === 'off'
        ? null
        : { suite: crypto.suite, localKey: local.keys[crypto.suite], remoteKey: crypto.key },
  };
}

export function addressOf(
  audio: PeerAudio,
): Pick<AgreedMedia, 'remoteHost' | 'remotePort' | 'remoteRtcpPort'> {
  return { remoteHost: audio.host, remotePort: audio.port, remoteRtcpPort: audio.rtcpPort };
}

/** Which ways media flows, seen from us, given what the peer says of itself (RFC 3264 section 6.1). */
export function flowOf(audio: PeerAudio): Pick<AgreedMedia, 'sending' | 'receiving'> {
  const { direction, reachable } = audio;
  return {
    sending: reachable && (direction === 'sendrecv' || direction === 'recvonly'),
    receiving: direction === 'sendrecv' || direction === 'sendonly',
  };
}
