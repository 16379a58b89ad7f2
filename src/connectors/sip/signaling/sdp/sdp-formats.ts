import { FRAME_MS } from '../../../../base/frame.ts';
import type { OpusRequest, SipCodec } from '../../media-protocol.ts';
import { parseOpusParameters } from './opus-parameters.ts';
import { payloadTypeOf, type RtpMap, type SdpMedia } from './sdp-text.ts';

/** The formats that a media line lists: what its payload types stand for (RFC 4566 section 6, `rtpmap`). */
export interface PeerFormats {
  /** Codecs that we know, in the peer's order. */
  readonly codecs: readonly PeerCodec[];
  /** Of telephone-event (RFC 4733), which may be there for several clocks. */
  readonly events: readonly PeerEvents[];
  /** What every payload type with an `rtpmap` stands for, like `opus/48000`. */
  readonly names: ReadonlyMap<number, string>;
}

export interface PeerCodec {
  readonly codec: SipCodec;
  readonly payloadType: number;
  /** Null for G.711. */
  readonly opus: OpusRequest | null;
}

export interface PeerEvents {
  readonly payloadType: number;
  readonly clockRateHz: number;
}

/** RTP's clock; a room that is made for the codec has the same rate. */
export function clockRateHz(codec: SipCodec): 8_000 | 48_000 {
  return codec === 'opus' ? 48_000 : 8_000;
}

/** Rate of a room whose codec is still open: the best that an offer of ours may come to. */
export function offeredRateHz(codecs: readonly SipCodec[]): number {
  return Math.max(...codecs.map(clockRateHz));
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
 * The events that go with a codec: those of its clock (RFC 4733 section 2.1). Peers that list events at 8000 Hz alone
 * mean them for Opus too (baresip, older exchanges). Null: none.
 */
export function eventsBeside(codec: SipCodec, { events }: PeerFormats): PeerEvents | null {
  const withClock = (rateHz: number): PeerEvents | undefined =>
    events.find((each) => each.clockRateHz === rateHz);
  return withClock(clockRateHz(codec)) ?? withClock(8_000) ?? null;
}

/** Payload types 0 and 8 need no rtpmap (RFC 3551 section 6). */
function staticCodec(payloadType: number): SipCodec | null {
  if (payloadType === 0) return 'PCMU';
  return payloadType === 8 ? 'PCMA' : null;
}

function mappedCodec(map: RtpMap, media: SdpMedia): SipCodec | null {
  if (map.name === 'opus') return isOurOpus(map) && takesWholeFrames(media) ? 'opus' : null;
  if (map.name !== 'pcmu' && map.name !== 'pcma') return null;
  return map.rateHz === 8_000 && map.channels === 1 ? (map.name.toUpperCase() as 'PCMU' | 'PCMA') : null;
}

/**
 * RFC 7587 section 7 wants two channels said whatever is sent. Some say one or none and mean the same; more than two
 * are streams of another build.
 */
function isOurOpus({ rateHz, channels }: RtpMap): boolean {
  return rateHz === 48_000 && (channels === 1 || channels === 2);
}

/** Our packets are 20 ms, no less. Phones read over it with G.711. */
function takesWholeFrames({ maxPacketMs }: SdpMedia): boolean {
  return maxPacketMs === null || maxPacketMs >= FRAME_MS;
}

/** Opus is the same with one channel, two or none said. */
function formatOf({ name, rateHz, channels }: RtpMap): string {
  return `${name}/${rateHz}${channels > 2 ? `/${channels}` : ''}`;
}

/** Each once, in the peer's order. */
function payloadTypesOf({ payloads }: SdpMedia): Set<number> {
  return new Set(
    payloads
      .split(/\s+/)
      .map(payloadTypeOf)
      .filter((type) => type !== null),
  );
}
