import {
  decodeAlaw,
  decodeUlaw,
  encodeAlaw,
  encodeUlaw,
  type G711Decode,
  type G711Encode,
} from '../../../audio/g711.ts';
import { FRAME_MS } from '../../../base/frame.ts';
import type { G711Name, SipCodec } from '../media-protocol.ts';

export const CLOCK_RATE_HZ = 8_000;
export const FRAME_SAMPLES = (CLOCK_RATE_HZ * FRAME_MS) / 1000;
/** Longest packet taken: 60 ms. One byte is one sample. */
export const MAX_PAYLOAD_BYTES = 3 * FRAME_SAMPLES;

export interface G711Codec {
  readonly encode: G711Encode;
  readonly decode: G711Decode;
  /** The byte that means zero. */
  readonly silence: number;
}

const G711_CODECS: Readonly<Record<G711Name, G711Codec>> = {
  PCMU: { encode: encodeUlaw, decode: decodeUlaw, silence: 0xff },
  PCMA: { encode: encodeAlaw, decode: decodeAlaw, silence: 0xd5 },
};

export function g711Codec(name: SipCodec): G711Codec {
  if (name === 'opus') throw new Error('the media half has no Opus');
  return G711_CODECS[name];
}
