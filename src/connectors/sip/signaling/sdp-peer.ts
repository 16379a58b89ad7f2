import { isIP } from 'node:net';
import { type MediaDescription, parse, type SessionDescription } from 'sdp-transform';
import { type PeerCrypto, parseCrypto } from './sdes.ts';
import { type PeerFormats, parseFormats } from './sdp-formats.ts';

/** What the peer's SDP says (RFC 4566, RFC 3264), as far as one audio stream needs it. */
export interface PeerDescription {
  /** Every media line in order: an answer must have the same. */
  readonly lines: readonly PeerLine[];
  /** The audio lines that we can read, in order; peers that leave SRTP open offer a line for each. */
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
  /** False: the peer's address is 0.0.0.0, the hold of RFC 2543. */
  readonly reachable: boolean;
  readonly crypto: readonly PeerCrypto[];
}

/** Plain and secure RTP, with and without feedback; DTLS is not for us. */
const AUDIO_PROTOCOLS = new Set(['RTP/AVP', 'RTP/AVPF', 'RTP/SAVP', 'RTP/SAVPF']);
const MAX_SDP_CHARACTERS = 32_768;

/** Null when the text is no SDP with a media line. */
export function parsePeerDescription(text: string): PeerDescription | null {
  if (text.length > MAX_SDP_CHARACTERS || !text.trimStart().startsWith('v=0')) return null;
  let session: SessionDescription;
  try {
    session = parse(text);
  } catch {
    return null;
  }
  if (session.media.length === 0) return null;
  const lines = session.media.map(({ type, protocol, payloads }) => ({
    type,
    protocol,
    payloads: String(payloads ?? ''),
  }));
  return { lines, audio: audioOf(session) };
}

function audioOf(session: SessionDescription): PeerAudio[] {
  return session.media
    .map((media, lineIndex) =>
      media.type === 'audio' && AUDIO_PROTOCOLS.has(media.protocol)
        ? parseAudio(session, media, lineIndex)
        : null,
    )
    .filter((audio) => audio !== null);
}

function parseAudio(
  session: SessionDescription,
  media: MediaDescription,
  lineIndex: number,
): PeerAudio | null {
  const host = media.connection?.ip ?? session.connection?.ip;
  // Media goes to addresses; a name would need a look-up on the way of every call, and trunks don't send any.
  if (host === undefined || isIP(host) === 0 || !isPort(media.port)) return null;
  const rtcpMux = media.rtcpMux !== undefined;
  const rtcpPort = rtcpMux ? media.port : (media.rtcp?.port ?? media.port + 1);
  return {
    lineIndex,
    protocol: media.protocol,
    host,
    port: media.port,
    rtcpPort: isPort(rtcpPort) ? rtcpPort : media.port,
    rtcpMux,
    formats: parseFormats(media),
    direction: directionOf(media.direction ?? session.direction),
    reachable: host !== '0.0.0.0' && host !== '::',
    crypto: (media.crypto ?? []).map(parseCrypto).filter((crypto) => crypto !== null),
  };
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535;
}

function directionOf(text: string | undefined): Direction {
  return text === 'sendonly' || text === 'recvonly' || text === 'inactive' ? text : 'sendrecv';
}
