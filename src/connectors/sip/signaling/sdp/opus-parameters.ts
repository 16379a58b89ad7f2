import type { OpusRequest } from '../../media-protocol.ts';

/** What we ask of peers: speech with all that one hears of it, and no more. */
const WANTED_BITRATE_BPS = 32_000;
/** RFC 7587 section 6.1: values of maxaveragebitrate. */
const MIN_BITRATE_BPS = 6_000;
const MAX_BITRATE_BPS = 510_000;

/** Our parameters in an `a=fmtp` line. Mono is what a peer assumes that reads nothing of stereo. */
export const OPUS_PARAMETERS = `useinbandfec=1;maxaveragebitrate=${WANTED_BITRATE_BPS}`;

/**
 * Reads the peer's parameters (RFC 7587 section 6.1), those that matter to our encoder: one stream of 20 ms packets,
 * mono. A value that cannot be read counts as absent. `usedtx` is a wish that we do not follow: 20 ms of silence are
 * a few bytes.
 */
export function parseOpusParameters(text: string): OpusRequest {
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
