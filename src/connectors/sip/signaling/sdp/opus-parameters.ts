import type { OpusRequest } from '../../../../rtp/rtp-protocol.ts';

/** The bitrate we ask of peers: enough for full-quality speech. */
const WANTED_BITRATE_BPS = 32_000;
/** Limits of maxaveragebitrate (RFC 7587 section 6.1). */
const MIN_BITRATE_BPS = 6_000;
const MAX_BITRATE_BPS = 510_000;

/** Our parameters in an `a=fmtp` line. Without a stereo parameter, peers assume mono. */
export const OPUS_PARAMETERS = `useinbandfec=1;maxaveragebitrate=${WANTED_BITRATE_BPS}`;

/**
 * Parses the peer's parameters (RFC 7587 section 6.1) that matter to our encoder, which sends one mono stream of 20 ms
 * packets. Invalid values count as absent. `usedtx` is ignored: 20 ms of silence take only a few bytes.
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
