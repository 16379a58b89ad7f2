import { isIP } from 'node:net';
import { type PeerCrypto, parseCrypto } from './sdes.ts';
import { type PeerFormats, parseFormats } from './sdp-formats.ts';
import { type Direction, readSdp, type SdpSection } from './sdp-text.ts';

/** The peer's SDP (RFC 4566, RFC 3264), as far as one audio stream needs it. */
export interface PeerDescription {
  /** All media lines in order; an answer must have the same ones. */
  readonly lines: readonly PeerLine[];
  /** The readable audio lines in order. Peers with optional SRTP offer one line for each variant. */
  readonly audio: readonly PeerAudio[];
}

export interface PeerLine {
  readonly type: string;
  /** −1 when it is not readable. */
  readonly port: number;
  readonly protocol: string;
  readonly payloads: string;
}

export interface PeerAudio extends PeerLine {
  readonly lineIndex: number;
  readonly host: string;
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

const MAX_CRYPTO_LINES = 16;

/** Returns null when the text is not SDP with a media line. */
export function parsePeerDescription(text: string): PeerDescription | null {
  const description = readSdp(text);
  if (description === null) return null;
  const { session, media } = description;
  const lines = media.map(lineOf);
  return {
    lines,
    audio: lines
      .map((line, lineIndex) => parseAudio({ ...line, lineIndex }, media[lineIndex]!, session))
      .filter((audio) => audio !== null),
  };
}

function lineOf({ head }: SdpSection): PeerLine {
  const [type = '', port = '', protocol = ''] = head.split(' ', 3);
  return {
    type,
    // A number of ports, when stated, is one for a single stream (RFC 4566 section 5.14).
    port: /^\d{1,5}(?:\/1)?$/.test(port) ? Number.parseInt(port, 10) : -1,
    protocol,
    payloads: head.slice(type.length + port.length + protocol.length + 3).trim(),
  };
}

type AudioLine = PeerLine & Pick<PeerAudio, 'lineIndex'>;

/** Returns null when it is not an audio line that we understand. */
function parseAudio(line: AudioLine, section: SdpSection, session: SdpSection): PeerAudio | null {
  const { type, port, protocol, payloads } = line;
  const { attributes } = section;
  if (type !== 'audio' || !AUDIO_PROTOCOLS.has(protocol)) return null;
  const host = section.host ?? session.host;
  // Only IP addresses are accepted: a host name would need a DNS lookup on each call, and trunks do not send any.
  if (host === null || isIP(host) === 0 || !isPort(port)) return null;
  const rtcpMux = attributes.has('rtcp-mux');
  const rtcpPort = rtcpMux ? port : (rtcpPortIn(attributes.get('rtcp') ?? []) ?? port + 1);
  return {
    ...line,
    host,
    rtcpPort: isPort(rtcpPort) ? rtcpPort : port,
    rtcpMux,
    formats: parseFormats(payloads, attributes),
    direction: section.direction ?? session.direction ?? 'sendrecv',
    reachable: host !== '0.0.0.0' && host !== '::',
    crypto: (attributes.get('crypto') ?? [])
      .slice(0, MAX_CRYPTO_LINES)
      .map(parseCrypto)
      .filter((crypto) => crypto !== null),
  };
}

/** Returns 0, which is no port, when there is an attribute but none is readable. */
function rtcpPortIn(values: readonly string[]): number | null {
  const ports = values.flatMap((value) => /^\d{1,5}(?=\s|$)/.exec(value) ?? []);
  return values.length === 0 ? null : Number(ports.at(-1) ?? 0);
}

function isPort(port: number): boolean {
  return Number.isInteger(port) && port > 0 && port <= 65_535;
}
