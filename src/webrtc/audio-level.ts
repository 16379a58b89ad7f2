const EXTENSION_FLAG = 0x10;
const CSRC_MASK = 0x0f;
const FIXED_BYTES = 12;
const CSRC_BYTES = 4;
const HEADER_BYTES = 4;
/** RFC 8285 section 4.2: extensions with headers of one byte. */
const ONE_BYTE_PROFILE = 0xbede;
const LEVEL_MASK = 0x7f;

/**
 * Loudness of the RTP packet at the start of `bytes`, in dB below the loudest that there is, 0 to 127 (RFC 6464). -1 when the
 * packet has no extension of this number.
 */
export function audioLevel(bytes: Uint8Array, extension: number): number {
  if ((bytes[0]! & EXTENSION_FLAG) === 0) return -1;
  let at = FIXED_BYTES + (bytes[0]! & CSRC_MASK) * CSRC_BYTES;
  if (((bytes[at]! << 8) | bytes[at + 1]!) !== ONE_BYTE_PROFILE) return -1;
  const words = (bytes[at + 2]! << 8) | bytes[at + 3]!;
  at += HEADER_BYTES;
  const end = Math.min(at + words * 4, bytes.length);
  while (at < end) {
    const id = bytes[at]! >> 4;
    if (id === extension) return at + 1 < end ? bytes[at + 1]! & LEVEL_MASK : -1;
    // 0 is padding of one byte.
    at += id === 0 ? 1 : (bytes[at]! & 0x0f) + 2;
  }
  return -1;
}
