import type { CryptoLine } from './sdes.ts';

/**
 * Parsed SDP (RFC 4566), as far as one audio stream needs it, read in a single pass. Unreadable lines are ignored. When
 * two lines say the same thing about a description, the later one wins.
 */
export interface SdpDescription {
  readonly session: SdpSection;
  /** The media sections, in order. */
  readonly media: readonly SdpMedia[];
}

/** Attributes of the session or of one media section. */
export interface SdpSection {
  /** The address in `c=`. */
  host: string | null;
  direction: string | null;
}

export interface SdpMedia extends SdpSection {
  readonly type: string;
  readonly port: number;
  readonly protocol: string;
  readonly payloads: string;
  /** By payload type. The first of two lines for one type wins. */
  readonly maps: Map<number, RtpMap>;
  readonly parameters: Map<number, string>;
  readonly crypto: CryptoLine[];
  rtcpPort: number | null;
  rtcpMux: boolean;
  maxPacketMs: number | null;
}

/** An `rtpmap` (RFC 4566 section 6). */
export interface RtpMap {
  /** In lower case. */
  readonly name: string;
  readonly rateHz: number;
  readonly channels: number;
}

const MAX_CHARACTERS = 32_768;
/** Far more than any peer offers. The limit matters because an answer repeats every line. */
const MAX_MEDIA = 16;
const MAX_CRYPTO_LINES = 16;
const DIRECTIONS = new Set(['sendrecv', 'sendonly', 'recvonly', 'inactive']);

/** Returns null when the text is not SDP with a media line, or is longer than any call needs. */
export function readSdp(text: string): SdpDescription | null {
  if (text.length > MAX_CHARACTERS || !text.trimStart().startsWith('v=0')) return null;
  const session: SdpSection = { host: null, direction: null };
  const media: SdpMedia[] = [];
  for (const line of text.split(/[\r\n]+/)) {
    if (line[1] !== '=') continue;
    const value = line.slice(2);
    const section = media.at(-1) ?? session;
    if (line[0] === 'm') media.push(newMedia(value));
    else if (line[0] === 'c') section.host = hostIn(value) ?? section.host;
    else if (line[0] === 'a') takeAttribute(section, value);
    if (media.length > MAX_MEDIA) return null;
  }
  return media.length === 0 ? null : { session, media };
}

function newMedia(value: string): SdpMedia {
  const [type = '', port = '', protocol = ''] = value.split(' ', 3);
  return {
    type,
    port: /^\d{1,5}$/.test(port) ? Number(port) : -1,
    protocol,
    payloads: value.slice(type.length + port.length + protocol.length + 3).trim(),
    maps: new Map(),
    parameters: new Map(),
    crypto: [],
    rtcpPort: null,
    rtcpMux: false,
    maxPacketMs: null,
    host: null,
    direction: null,
  };
}

function hostIn(value: string): string | null {
  const [network, family = '', host = ''] = value.split(' ', 3);
  return network === 'IN' && /^IP\d$/.test(family) ? host : null;
}

function takeAttribute(section: SdpSection | SdpMedia, text: string): void {
  const colon = text.indexOf(':');
  const name = (colon < 0 ? text : text.slice(0, colon)).trim();
  if (DIRECTIONS.has(name)) section.direction = name;
  else if ('maps' in section) takeMediaAttribute(section, name, colon < 0 ? '' : text.slice(colon + 1));
}

function takeMediaAttribute(media: SdpMedia, name: string, value: string): void {
  if (name === 'rtpmap') takeMap(media, value);
  else if (name === 'fmtp') takeParameters(media, value);
  else if (name === 'rtcp') media.rtcpPort = Number(/^\d{1,5}(?=\s|$)/.exec(value)?.[0] ?? media.rtcpPort);
  else if (name === 'rtcp-mux') media.rtcpMux = true;
  else if (name === 'maxptime') media.maxPacketMs = numberOf(value.trim()) ?? media.maxPacketMs;
  else if (name === 'crypto' && media.crypto.length < MAX_CRYPTO_LINES) takeCrypto(media, value);
}

function takeMap(media: SdpMedia, value: string): void {
  const [payload = '', encoding = ''] = value.trim().split(' ', 2);
  const [name = '', rate = '', channels = ''] = encoding.split('/', 3);
  const type = payloadTypeOf(payload);
  if (type === null || media.maps.has(type)) return;
  media.maps.set(type, {
    name: name.toLowerCase(),
    rateHz: numberOf(rate) ?? 8_000,
    channels: numberOf(channels) ?? 1,
  });
}

function takeParameters(media: SdpMedia, value: string): void {
  const space = value.indexOf(' ');
  const type = payloadTypeOf(value.slice(0, Math.max(space, 0)));
  if (type !== null && !media.parameters.has(type)) media.parameters.set(type, value.slice(space + 1));
}

function takeCrypto(media: SdpMedia, value: string): void {
  const text = value.trim();
  const [tag = '', suite = '', config = ''] = text.split(' ', 3);
  const id = numberOf(tag);
  const sessionConfig = text.slice(tag.length + suite.length + config.length + 3);
  if (id !== null) media.crypto.push({ id, suite, config, sessionConfig });
}

/** Parses a seven-bit payload type; null when the text is not one. */
export function payloadTypeOf(text: string): number | null {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 128;
  return number < 128 ? number : null;
}

function numberOf(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null;
}
