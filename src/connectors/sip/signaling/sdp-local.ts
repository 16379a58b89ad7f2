import { isIPv6 } from 'node:net';
import type { SipCodec } from '../media-protocol.ts';
import type { LocalKeys } from './sdes.ts';
import type { Direction } from './sdp-peer.ts';

export type SrtpPolicy = 'off' | 'optional' | 'required';

/** Our side of a leg's media, fixed for the life of the leg. */
export interface LocalAudio {
  readonly host: string;
  readonly rtpPort: number;
  readonly sessionId: number;
  readonly srtp: SrtpPolicy;
  readonly keys: LocalKeys;
}

/** What we can do, in our order of preference. */
export const LOCAL_CODECS: readonly { readonly codec: SipCodec; readonly payloadType: number }[] = [
  { codec: 'PCMU', payloadType: 0 },
  { codec: 'PCMA', payloadType: 8 },
];

export const LOCAL_DTMF_PAYLOAD_TYPE = 101;

/** The lines before the first media line. `version` goes up whenever the description changes (RFC 3264 section 8). */
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

/** An audio line with its attributes. */
export function audioLines(
  local: LocalAudio,
  protocol: string,
  codecs: readonly { readonly codec: SipCodec; readonly payloadType: number }[],
  dtmfPayloadType: number | null,
  direction: Direction,
): string[] {
  const payloads = [
    ...codecs.map((each) => each.payloadType),
    ...(dtmfPayloadType === null ? [] : [dtmfPayloadType]),
  ];
  const events =
    dtmfPayloadType === null
      ? []
      : [`a=rtpmap:${dtmfPayloadType} telephone-event/8000`, `a=fmtp:${dtmfPayloadType} 0-15`];
  return [
    `m=audio ${local.rtpPort} ${protocol} ${payloads.join(' ')}`,
    ...codecs.map(({ codec, payloadType }) => `a=rtpmap:${payloadType} ${codec}/8000`),
    ...events,
    'a=ptime:20',
    `a=${direction}`,
  ];
}

export function sdpText(lines: readonly string[]): string {
  return `${lines.join('\r\n')}\r\n`;
}
