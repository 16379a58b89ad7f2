import type { SipCodec } from '../../media-protocol.ts';
import { cryptoAttribute, type PeerCrypto } from './sdes.ts';
import { audioLines, type LocalAudio, type SrtpPolicy, sdpText, sessionLines } from './sdp-local.ts';
import { type AgreedMedia, addressOf, chosenCodec, flowOf, formatOf } from './sdp-offer.ts';
import type { Direction, PeerAudio, PeerDescription } from './sdp-peer.ts';

/** The agreement with the peer, and an answer that can be written with a version. */
export interface Answer {
  readonly agreed: AgreedMedia;
  write(version: number): string;
}

/**
 * Answers the peer's offer (RFC 3264 section 6). Takes the first audio line that fits our SRTP policy, its first codec
 * that we support and its payload types. All other media lines are kept in order and refused with port 0. Returns null
 * when there is nothing in common (488).
 */
export function answerOffer(offer: PeerDescription, local: LocalAudio): Answer | null {
  for (const audio of offer.audio) {
    const answer = answerLine(offer, audio, local);
    if (answer !== null) return answer;
  }
  return null;
}

/** Returns the codec that an answer to the offer would select; null when there is nothing in common. */
export function codecInCommon(
  offer: PeerDescription,
  srtp: SrtpPolicy,
  codecs: readonly SipCodec[],
): SipCodec | null {
  const fitting = offer.audio.filter((audio) => cryptoFor(audio, srtp) !== 'impossible');
  const chosen = fitting.map((audio) => chosenCodec(audio, codecs)).find((codec) => codec !== null);
  return chosen?.codec ?? null;
}

function answerLine(offer: PeerDescription, audio: PeerAudio, local: LocalAudio): Answer | null {
  const codec = chosenCodec(audio, local.codecs);
  if (codec === null) return null;
  const crypto = cryptoFor(audio, local.srtp);
  if (crypto === 'impossible') return null;
  const agreed: AgreedMedia = {
    ...addressOf(audio),
    ...formatOf(audio, codec),
    ...flowOf(audio),
    srtp:
      crypto === null
        ? null
        : { suite: crypto.suite, localKey: local.keys[crypto.suite], remoteKey: crypto.key },
  };
  return { agreed, write: (version) => writeAnswer(offer, { audio, agreed, crypto }, local, version) };
}

/**
 * Returns the peer's crypto line to accept; null for plain RTP; `impossible` when its offer conflicts with our policy.
 */
function cryptoFor(audio: PeerAudio, srtp: SrtpPolicy): PeerCrypto | null | 'impossible' {
  const first = audio.crypto[0] ?? null;
  const isSecureOnly = audio.protocol.startsWith('RTP/SAVP');
  if (srtp === 'off') return isSecureOnly ? 'impossible' : null;
  if (first === null && (isSecureOnly || srtp === 'required')) return 'impossible';
  return first;
}

interface AnswerChoice {
  readonly audio: PeerAudio;
  readonly agreed: AgreedMedia;
  readonly crypto: PeerCrypto | null;
}

function writeAnswer(
  offer: PeerDescription,
  { audio, agreed, crypto }: AnswerChoice,
  local: LocalAudio,
  version: number,
): string {
  const { dtmfPayloadType, dtmfClockRateHz } = agreed;
  const events =
    dtmfPayloadType === null ? [] : [{ payloadType: dtmfPayloadType, clockRateHz: dtmfClockRateHz }];
  const chosen = [
    ...audioLines(local, audio.protocol, { codecs: [agreed], events }, directionOf(agreed)),
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
