import { cryptoAttribute, type PeerCrypto } from './sdes.ts';
import { audioLines, type LocalAudio, sdpText, sessionLines } from './sdp-local.ts';
import { type AgreedMedia, addressOf, flowOf } from './sdp-offer.ts';
import type { Direction, PeerAudio, PeerDescription } from './sdp-peer.ts';

/** An answer, ready to be written with a version, and what it amounts to. */
export interface Answer {
  readonly agreed: AgreedMedia;
  write(version: number): string;
}

/**
 * Answers the peer's offer (RFC 3264 section 6): the first audio line that fits our SRTP policy, its first codec
 * that we know, its payload types, its media lines in its order with all others refused by port 0. Null: nothing
 * in common, 488.
 */
export function answerOffer(offer: PeerDescription, local: LocalAudio): Answer | null {
  for (const audio of offer.audio) {
    const answer = answerLine(offer, audio, local);
    if (answer !== null) return answer;
  }
  return null;
}

function answerLine(offer: PeerDescription, audio: PeerAudio, local: LocalAudio): Answer | null {
  const codec = audio.codecs[0];
  if (codec === undefined) return null;
  const crypto = cryptoFor(audio, local);
  if (crypto === 'impossible') return null;
  const agreed: AgreedMedia = {
    ...addressOf(audio),
    codec: codec.codec,
    payloadType: codec.payloadType,
    dtmfPayloadType: audio.dtmfPayloadType,
    dtmfClockRateHz: 8_000,
    opus: null,
    ...flowOf(audio),
    srtp:
      crypto === null
        ? null
        : { suite: crypto.suite, localKey: local.keys[crypto.suite], remoteKey: crypto.key },
  };
  return { agreed, write: (version) => writeAnswer(offer, audio, agreed, crypto, local, version) };
}

/** The peer's crypto line to take up; null for plain RTP; `impossible` when its offer and our policy exclude each other. */
function cryptoFor(audio: PeerAudio, local: LocalAudio): PeerCrypto | null | 'impossible' {
  const first = audio.crypto[0] ?? null;
  const isSecureOnly = audio.protocol.startsWith('RTP/SAVP');
  if (local.srtp === 'off') return isSecureOnly ? 'impossible' : null;
  if (first === null && (isSecureOnly || local.srtp === 'required')) return 'impossible';
  return first;
}

function writeAnswer(
  offer: PeerDescription,
  audio: PeerAudio,
  agreed: AgreedMedia,
  crypto: PeerCrypto | null,
  local: LocalAudio,
  version: number,
): string {
  const codec = { codec: agreed.codec, payloadType: agreed.payloadType };
  const chosen = [
    ...audioLines(local, audio.protocol, [codec], agreed.dtmfPayloadType, directionOf(agreed)),
    ...(audio.rtcpMux ? ['a=rtcp-mux'] : []),
    ...(crypto === null ? [] : [cryptoAttribute(crypto.tag, crypto.suite, local.keys)]),
  ];
  const lines = offer.lines.flatMap((line, index) =>
    index === audio.lineIndex ? chosen : [`m=${line.type} 0 ${line.protocol} ${line.payloads}`],
  );
  return sdpText([...sessionLines(local, version), ...lines]);
}

function directionOf({ sending, receiving }: AgreedMedia): Direction {
  if (sending) return receiving ? 'sendrecv' : 'sendonly';
  return receiving ? 'recvonly' : 'inactive';
}
