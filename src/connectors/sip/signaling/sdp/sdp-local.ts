import { isIPv6 } from 'node:net';
import type { EventFormat, NumberedCodec, RtpCodec, RtpConfig } from '../../../../rtp/rtp-protocol.ts';
import type { PayloadTypes } from './payload-types.ts';
import type { LocalKeys } from './sdes.ts';
import { OPUS_PARAMETERS } from './sdp-formats.ts';
import type { Direction } from './sdp-text.ts';

export type SrtpPolicy = 'off' | 'optional' | 'required';

/** Our side of a leg's audio. */
export interface LocalAudio {
  readonly host: string;
  readonly rtpPort: number;
  readonly sessionId: number;
  readonly srtp: SrtpPolicy;
  readonly keys: LocalKeys;
  /** Codecs we support, in our order of preference; at least one. */
  readonly codecs: readonly RtpCodec[];
  readonly payloadTypes: PayloadTypes;
}

/** Writes the session-level lines. `version` must increase whenever the description changes (RFC 3264 section 8). */
export function sessionLines({ host, sessionId }: LocalAudio, version: number): string[] {
  const family = isIPv6(host) ? 'IP6' : 'IP4';
  return [
    'v=0',
    `o=- ${sessionId} ${version} IN ${family} ${host}`,
    's=-',
    `c=IN ${family} ${host}`,
    't=0 0',
  ];
}

/** The formats of an audio line. */
export type AudioFormats = RtpConfig['received'];

/** Writes an audio line with its attributes. */
export function audioLines(
  local: LocalAudio,
  protocol: string,
  { codecs, events }: AudioFormats,
  direction: Direction,
): string[] {
  const payloads = [...codecs, ...events].map(({ payloadType }) => payloadType);
  return [
    `m=audio ${local.rtpPort} ${protocol} ${payloads.join(' ')}`,
    ...codecs.flatMap(codecLines),
    ...events.flatMap(eventLines),
    'a=ptime:20',
    `a=${direction}`,
  ];
}

function codecLines({ codec, payloadType }: NumberedCodec): string[] {
  if (codec !== 'opus') return [`a=rtpmap:${payloadType} ${codec}/8000`];
  // The rtpmap always states two channels, whatever is sent (RFC 7587 section 7).
  return [`a=rtpmap:${payloadType} opus/48000/2`, `a=fmtp:${payloadType} ${OPUS_PARAMETERS}`];
}

function eventLines({ payloadType, clockRateHz }: EventFormat): string[] {
  return [`a=rtpmap:${payloadType} telephone-event/${clockRateHz}`, `a=fmtp:${payloadType} 0-15`];
}

export function sdpText(lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n`;
}
