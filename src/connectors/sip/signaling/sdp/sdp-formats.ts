import { FRAME_MS } from '../../../../base/frame.ts';
import type {
  EventFormat,
  G711Name,
  NumberedCodec,
  OpusRequest,
  RtpCodec,
} from '../../../../rtp/rtp-protocol.ts';
import { numberOf, type SdpSection } from './sdp-text.ts';

/** The formats of a media line by payload type (RFC 4566 section 6, `rtpmap`). */
export interface PeerFormats {
  /** Codecs that we support, in the peer's order. */
  readonly codecs: readonly PeerCodec[];
  /** Telephone-event formats (RFC 4733), possibly for several clock rates. */
  readonly events: readonly EventFormat[];
  /** Names of all payload types with an `rtpmap`, for example `opus/48000`. */
  readonly names: ReadonlyMap<number, string>;
}

export interface PeerCodec extends NumberedCodec {
  /** Null for other codecs. */
  readonly opus: OpusRequest | null;
}

/** The bitrate we ask of peers: enough for full-quality speech. */
const WANTED_BITRATE_BPS = 32_000;
/** Limits of maxaveragebitrate (RFC 7587 section 6.1). */
const MIN_BITRATE_BPS = 6_000;
const MAX_BITRATE_BPS = 510_000;

/** Our parameters in an `a=fmtp` line. Without a stereo parameter, peers assume mono. */
export const OPUS_PARAMETERS = `useinbandfec=1;maxaveragebitrate=${WANTED_BITRATE_BPS}`;

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

export function parseFormats(payloads: string, attributes: SdpSection['attributes']): PeerFormats {
  // A space ends each map, so that one without an encoding still names its payload type.
  const maps = byPayloadType(attributes.get('rtpmap')?.map((value) => `${value.trim()} `));
  const parameters = byPayloadType(attributes.get('fmtp'));
  const longestMs = attributes.get('maxptime')?.map((value) => numberOf(value.trim()));
  const takesOpus = takesWholeFrames(longestMs?.findLast((ms) => ms !== null) ?? null);
  const listed = [...payloadTypesOf(payloads)].map((payloadType) => {
    const text = maps.get(payloadType);
    return { payloadType, map: text === undefined ? undefined : mapOf(text) };
  });
  return {
    codecs: listed.flatMap(({ payloadType, map }) => {
      const codec = map === undefined ? staticCodec(payloadType) : mappedCodec(map, takesOpus);
      const opus = codec === 'opus' ? parseOpusParameters(parameters.get(payloadType) ?? '') : null;
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

/** Returns the values by the payload type that they begin with. The first of two for one type wins. */
function byPayloadType(values: readonly string[] = []): Map<number, string> {
  const found = new Map<number, string>();
  for (const value of values) {
    const space = value.indexOf(' ');
    const type = payloadTypeOf(value.slice(0, Math.max(space, 0)));
    if (type !== null && !found.has(type)) found.set(type, value.slice(space + 1));
  }
  return found;
}

/** An `rtpmap` (RFC 4566 section 6). */
interface RtpMap {
  /** In lower case. */
  readonly name: string;
  readonly rateHz: number;
  readonly channels: number;
}

function mapOf(text: string): RtpMap {
  const [name = '', rate = '', channels = ''] = text.split(' ', 1)[0]!.split('/', 3);
  return { name: name.toLowerCase(), rateHz: numberOf(rate) ?? 8_000, channels: numberOf(channels) ?? 1 };
}

/**
 * Returns the telephone events for a codec: those of its clock rate (RFC 4733 section 2.1). Peers that only list events
 * at 8000 Hz use them with Opus too (baresip, older PBXs), and some state the sample rate of G.722. Null when there are
 * none.
 */
export function eventsBeside(codec: RtpCodec, { events }: PeerFormats): EventFormat | null {
  const withClock = (rateHz: number): EventFormat | undefined =>
    events.find((each) => each.clockRateHz === rateHz);
  return withClock(clockRateHz(codec)) ?? withClock(8_000) ?? withClock(roomRateHz(codec)) ?? null;
}

function staticCodec(payloadType: number): RtpCodec | null {
  return STATIC_CODECS.find((codec) => STATIC_TYPES[codec] === payloadType) ?? null;
}

function mappedCodec(map: RtpMap, takesOpus: boolean): RtpCodec | null {
  if (map.name === 'opus') return isOurOpus(map) && takesOpus ? 'opus' : null;
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
function takesWholeFrames(maxPacketMs: number | null): boolean {
  return maxPacketMs === null || maxPacketMs >= FRAME_MS;
}

/** Name of a format. Opus is the same whether one channel, two or none are stated. */
function formatOf({ name, rateHz, channels }: RtpMap): string {
  return `${name}/${rateHz}${channels > 2 ? `/${channels}` : ''}`;
}

/** Returns each payload type once, in the peer's order. */
function payloadTypesOf(payloads: string): Set<number> {
  const types = payloads.split(/\s+/).map(payloadTypeOf);
  return new Set(types.filter((type) => type !== null));
}

/** Parses a seven-bit payload type; null when the text is not one. */
function payloadTypeOf(text: string): number | null {
  const number = /^\d{1,3}$/.test(text) ? Number(text) : 128;
  return number < 128 ? number : null;
}

/**
 * Parses the peer's parameters (RFC 7587 section 6.1) that matter to our encoder, which sends one mono stream of 20 ms
 * packets. Invalid values count as absent. `usedtx` is ignored: 20 ms of silence take only a few bytes.
 */
function parseOpusParameters(text: string): OpusRequest {
  const values = new Map(text.split(';').map(nameAndValue));
  const bitrate = values.get('maxaveragebitrate') ?? '';
  return {
    maxBitrateBps: /^\d{1,9}$/.test(bitrate) ? withinLimits(Number(bitrate)) : null,
    inbandFec: values.get('useinbandfec') === '1',
  };
}

function nameAndValue(parameter: string): [string, string] {
  const [name = '', value = ''] = parameter.split('=', 2);
  return [name.trim().toLowerCase(), value.trim()];
}

function withinLimits(bitrateBps: number): number {
  return Math.min(Math.max(bitrateBps, MIN_BITRATE_BPS), MAX_BITRATE_BPS);
}
