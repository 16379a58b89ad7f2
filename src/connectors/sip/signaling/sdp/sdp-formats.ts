import { FRAME_MS } from '../../../../base/frame.ts';
import type { G711Name, OpusRequest, RtpCodec } from '../../../../rtp/rtp-protocol.ts';
import { parseOpusParameters } from './opus-parameters.ts';
import { payloadTypeOf, type RtpMap, type SdpMedia } from './sdp-text.ts';

/** The formats of a media line by payload type (RFC 4566 section 6, `rtpmap`). */
export interface PeerFormats {
  /** Codecs that we support, in the peer's order. */
  readonly codecs: readonly PeerCodec[];
  /** Telephone-event formats (RFC 4733), possibly for several clock rates. */
  readonly events: readonly PeerEvents[];
  /** Names of all payload types with an `rtpmap`, for example `opus/48000`. */
  readonly names: ReadonlyMap<number, string>;
}

export interface PeerCodec {
  readonly codec: RtpCodec;
  readonly payloadType: number;
  /** Null for other codecs. */
  readonly opus: OpusRequest | null;
}

export interface PeerEvents {
  readonly payloadType: number;
  readonly clockRateHz: number;
}

/** Codecs whose payload types need no rtpmap (RFC 3551 section 6). */
export const STATIC_TYPES: Readonly<Record<G711Name | 'G722', number>> = { PCMU: 0, PCMA: 8, G722: 9 };
const STATIC_CODECS = ['PCMU', 'PCMA', 'G722'] as const satisfies readonly RtpCodec[];

/** RTP clock rate of a codec. */
export function clockRateHz(codec: RtpCodec): 8_000 | 48_000 {
  return codec === 'opus' ? 48_000 : 8_000;
}

/** Sample rate of a room for a codec. */
export function roomRateHz(codec: RtpCodec): 8_000 | 16_000 | 48_000 {
  return codec === 'G722' ? 16_000 : clockRateHz(codec);
}

/** Sample rate of a room whose codec is not negotiated yet: the highest that our offer may lead to. */
export function offeredRateHz(codecs: readonly RtpCodec[]): number {
  return Math.max(...codecs.map(roomRateHz));
}

export function parseFormats(media: SdpMedia): PeerFormats {
  const listed = [...payloadTypesOf(media)].map((payloadType) => ({
    payloadType,
    map: media.maps.get(payloadType),
  }));
  return {
    codecs: listed.flatMap(({ payloadType, map }) => {
      const codec = map === undefined ? staticCodec(payloadType) : mappedCodec(map, media);
      const opus = codec === 'opus' ? parseOpusParameters(media.parameters.get(payloadType) ?? '') : null;
      return codec === null ? [] : [{ codec, payloadType, opus }];
    }),
    events: listed.flatMap(({ payloadType, map }) =>
      map?.name === 'telephone-event' ? [{ payloadType, clockRateHz: map.rateHz }] : [],
    ),
    names: new Map(
      listed.flatMap(({ payloadType, map }) =>
        map === undefined ? [] : [[payloadType, formatOf(map)] as const],
      ),
    ),
  };
}

/**
 * Returns the telephone events for a codec: those of its clock rate (RFC 4733 section 2.1). Peers that only list events
 * at 8000 Hz use them with Opus too (baresip, older PBXs), and some state the sample rate of G.722. Null when there are
 * none.
 */
export function eventsBeside(codec: RtpCodec, { events }: PeerFormats): PeerEvents | null {
  const withClock = (rateHz: number): PeerEvents | undefined =>
    events.find((each) => each.clockRateHz === rateHz);
  return withClock(clockRateHz(codec)) ?? withClock(8_000) ?? withClock(roomRateHz(codec)) ?? null;
}

function staticCodec(payloadType: number): RtpCodec | null {
  return STATIC_CODECS.find((codec) => STATIC_TYPES[codec] === payloadType) ?? null;
}

function mappedCodec(map: RtpMap, media: SdpMedia): RtpCodec | null {
  if (map.name === 'opus') return isOurOpus(map) && takesWholeFrames(media) ? 'opus' : null;
  const codec = STATIC_CODECS.find((each) => each.toLowerCase() === map.name);
  return codec !== undefined && map.channels === 1 && isRateOf(codec, map.rateHz) ? codec : null;
}

/** Some peers state the sample rate of G.722 instead of its clock rate. */
function isRateOf(codec: RtpCodec, rateHz: number): boolean {
  return rateHz === clockRateHz(codec) || rateHz === roomRateHz(codec);
}

/**
 * Whether this is Opus as we support it. RFC 7587 section 7 requires two channels whatever is sent. Some peers state
 * one or none and mean the same; more than two is a different stream format.
 */
function isOurOpus({ rateHz, channels }: RtpMap): boolean {
  return rateHz === 48_000 && (channels === 1 || channels === 2);
}

/** Our packets are never shorter than 20 ms. With G.711, phones ignore a lower maximum. */
function takesWholeFrames({ maxPacketMs }: SdpMedia): boolean {
  return maxPacketMs === null || maxPacketMs >= FRAME_MS;
}

/** Name of a format. Opus is the same whether one channel, two or none are stated. */
function formatOf({ name, rateHz, channels }: RtpMap): string {
  return `${name}/${rateHz}${channels > 2 ? `/${channels}` : ''}`;
}

/** Returns each payload type once, in the peer's order. */
function payloadTypesOf({ payloads }: SdpMedia): Set<number> {
  return new Set(
    payloads
      .split(/\s+/)
      .map(payloadTypeOf)
      .filter((type) => type !== null),
  );
}
