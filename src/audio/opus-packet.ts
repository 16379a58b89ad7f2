/** Frame length by the configuration in the TOC byte, in units of 2.5 ms (RFC 6716 section 3.1, table 2). */
const SILK_UNITS = [4, 8, 16, 24];
const HYBRID_UNITS = [4, 8];
const CELT_UNITS = [1, 2, 4, 8];
const UNITS_PER_SECOND = 400;
const MAX_PACKET_UNITS = 48;
const MAX_DTX_BYTES = 2;
const VOICE_FLAG = 0x80;
const UNITS_PER_VOICE_FLAG = 8;
const FIRST_HYBRID = 12;
const FIRST_CELT = 16;

/** Duration of an Opus packet in samples at `rateHz`; 0 when there are no bytes or they last longer than 120 ms. */
export function opusPacketSamples(bytes: Uint8Array, offset: number, length: number, rateHz: number): number {
  if (length < 1) return 0;
  const units = frameUnits(bytes[offset]! >> 3) * frameCount(bytes, offset, length);
  return units > MAX_PACKET_UNITS ? 0 : (units * rateHz) / UNITS_PER_SECOND;
}

/** Whether a packet only signals a pause (DTX; RFC 6716 section 2.1.9). */
export function isOpusPause(length: number): boolean {
  return length <= MAX_DTX_BYTES;
}

/**
 * Whether a packet is a single SILK frame whose first bit marks it as voiceless (RFC 6716 section 4.2.3). Tones count
 * as voiceless too. CELT frames cannot be classified without decoding.
 */
export function isOpusVoiceless(bytes: Uint8Array, offset: number, length: number): boolean {
  if (length < 2) return false;
  const config = bytes[offset]! >> 3;
  const isOneFrame = (bytes[offset]! & 3) === 0;
  const isShort = config >= FIRST_HYBRID || (config & 3) < 2;
  return config < FIRST_CELT && isOneFrame && isShort && bytes[offset + 1]! < VOICE_FLAG;
}

/**
 * Whether a packet may have FEC for the one before it. CELT has none, and a single SILK frame tells by the flag after its
 * voice flags, of which there is one per 20 ms (RFC 6716 section 4.2.4).
 */
export function mayHaveOpusFec(bytes: Uint8Array, offset: number, length: number): boolean {
  if (length < 2) return false;
  const config = bytes[offset]! >> 3;
  if (config >= FIRST_CELT) return false;
  const isOneFrame = (bytes[offset]! & 3) === 0;
  const voiceFlags = Math.ceil(frameUnits(config) / UNITS_PER_VOICE_FLAG);
  return !isOneFrame || (bytes[offset + 1]! & (VOICE_FLAG >> voiceFlags)) !== 0;
}

function frameUnits(config: number): number {
  if (config < FIRST_HYBRID) return SILK_UNITS[config & 3]!;
  return config < FIRST_CELT ? HYBRID_UNITS[config & 1]! : CELT_UNITS[config & 3]!;
}

/** Number of frames by the code, 0 to 3 (RFC 6716 section 3.2). Code 3 has the count in the second byte. */
function frameCount(bytes: Uint8Array, offset: number, length: number): number {
  const code = bytes[offset]! & 3;
  if (code !== 3) return code === 0 ? 1 : 2;
  return length < 2 ? 0 : bytes[offset + 1]! & 0x3f;
}
