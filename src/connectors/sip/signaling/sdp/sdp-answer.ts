import type { RtpCodec } from '../../../../rtp/rtp-protocol.ts';
import { cryptoAttribute, type PeerCrypto } from './sdes.ts';
import type { PeerCodec } from './sdp-formats.ts';
import { audioLines, type LocalAudio, type SrtpPolicy, sdpText, sessionLines } from './sdp-local.ts';
import { type AgreedMedia, agreedMedia, chosenCodec } from './sdp-offer.ts';
import type { PeerAudio, PeerDescription } from './sdp-peer.ts';
import type { Direction } from './sdp-text.ts';

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
  const choice = chooseAudio(offer, local.srtp, local.codecs);
  if (choice === null) return null;
  const received = { codecs: decodable(choice), events: choice.audio.formats.events };
  const agreed = agreedMedia({ ...choice.audio, received }, choice.codec, choice.crypto, local.keys);
  return { agreed, write: (version) => writeAnswer(offer, { ...choice, agreed }, local, version) };
}

/** Returns the codec that an answer to the offer would select; null when there is nothing in common. */
export function codecInCommon(
  offer: PeerDescription,
  srtp: SrtpPolicy,
  codecs: readonly RtpCodec[],
): RtpCodec | null {
  return chooseAudio(offer, srtp, codecs)?.codec.codec ?? null;
}

interface AudioChoice {
  readonly audio: PeerAudio;
  readonly codec: PeerCodec;
  /** Null for plain RTP. */
  readonly crypto: PeerCrypto | null;
}

function chooseAudio(
  offer: PeerDescription,
  srtp: SrtpPolicy,
  codecs: readonly RtpCodec[],
): AudioChoice | null {
  for (const audio of offer.audio) {
    const codec = chosenCodec(audio, codecs);
    const crypto = cryptoFor(audio, srtp);
    if (codec !== null && crypto !== 'impossible') return { audio, codec, crypto };
  }
  return null;
}

/** What the peer may send in spite of our answer: all that it offers and that costs nothing to be ready for. */
function decodable({ audio, codec }: AudioChoice): readonly PeerCodec[] {
  return audio.formats.codecs.filter((each) => each.codec !== 'opus' || codec.codec === 'opus');
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

function writeAnswer(
  offer: PeerDescription,
  { audio, agreed, crypto }: AudioChoice & Pick<Answer, 'agreed'>,
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
