import { isIP } from 'node:net';
import { type PeerCrypto, parseCrypto } from './sdes.ts';
import { type PeerFormats, parseFormats } from './sdp-formats.ts';
import { readSdp, type SdpMedia, type SdpSection } from './sdp-text.ts';

/** The peer's SDP (RFC 4566, RFC 3264), as far as one audio stream needs it. */
export interface PeerDescription {
  /** All media lines in order; an answer must have the same ones. */
  readonly lines: readonly PeerLine[];
  /** The readable audio lines in order. Peers with optional SRTP offer one line for each variant. */
  readonly audio: readonly PeerAudio[];
}

export interface PeerLine {
  readonly type: string;
  readonly protocol: string;
  readonly payloads: string;
}

export type Direction = 'sendrecv' | 'sendonly' | 'recvonly' | 'inactive';

export interface PeerAudio {
  readonly lineIndex: number;
  readonly protocol: string;
  readonly host: string;
  readonly port: number;
  readonly rtcpPort: number;
  readonly rtcpMux: boolean;
  readonly formats: PeerFormats;
  readonly direction: Direction;
  /** False when the peer's address is 0.0.0.0, the hold of RFC 2543. */
  readonly reachable: boolean;
  readonly crypto: readonly PeerCrypto[];
}

/** Plain and secure RTP, with and without feedback. DTLS is not supported. */
const AUDIO_PROTOCOLS = new Set(['RTP/AVP', 'RTP/AVPF', 'RTP/SAVP', 'RTP/SAVPF']);

/** Returns null when the text is not SDP with a media line. */
export function parsePeerDescription(text: string): PeerDescription | null {
  const description = readSdp(text);
  if (description === null) return null;
  const { session, media } = description;
  return {
    lines: media.map(({ type, protocol, payloads }) => ({ type, protocol, payloads })),
    audio: media
      .map((line, lineIndex) => (isAudio(line) ? parseAudio(session, line, lineIndex) : null))
      .filter((audio) => audio !== null),
  };
}

function isAudio({ type, protocol }: SdpMedia): boolean {
  return type === 'audio' && AUDIO_PROTOCOLS.has(protocol);
}

function parseAudio(session: SdpSection, media: SdpMedia, lineIndex: number): PeerAudio | null {
  const { port, protocol, rtcpMux } = media;
  const host = media.host ?? session.host;
  // Only IP addresses are accepted: a host name would need a DNS lookup on each call, and trunks do not send any.
  if (host === null || isIP(host) === 0 || !isPort(port)) return null;
  const rtcpPort = rtcpMux ? port : (media.rtcpPort ?? port + 1);
  return {
    lineIndex,
    protocol,
    host,
    port,
    rtcpPort: isPort(rtcpPort) ? rtcpPort : port,
    rtcpMux,
    formats: parseFormats(media),
    direction: directionOf(media.direction ?? session.direction),
    reachable: host !== '0.0.0.0' && host !== '::',
    crypto: media.crypto.map(parseCrypto).filter((crypto) => crypto !== null),
  };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535;
}

function directionOf(text: string | null): Direction {
  return text === 'sendonly' || text === 'recvonly' || text === 'inactive' ? text : 'sendrecv';
}
