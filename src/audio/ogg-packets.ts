/** Of a page before its segment table (RFC 3533, section 6). */
const HEADER_BYTES = 27;
const CAPTURE = 'OggS';
const SERIAL_AT = 14;
const SEGMENTS_AT = 26;
/** A packet ends with a segment that is shorter. */
const FULL_SEGMENT = 255;
/** Headers with pictures are longer than any packet of audio; more is no recording. */
const MAX_PACKET_BYTES = 1_048_576;

/**
 * Yields the packets of the first stream in an Ogg file (RFC 3533). Checksums are not compared: what is damaged is heard so.
 * Ends where there is no further page.
 */
export function* oggPackets(file: Uint8Array): Generator<Uint8Array> {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  let serial: number | null = null;
  let parts: Uint8Array[] = [];
  let partsLength = 0;
  for (let at = 0; isPage(file, at); ) {
    const segments = file.subarray(at + HEADER_BYTES, at + HEADER_BYTES + file[at + SEGMENTS_AT]!);
    let from = at + HEADER_BYTES + segments.length;
    const own = view.getUint32(at + SERIAL_AT, true);
    serial ??= own;
    let length = 0;
    for (const segment of segments) {
      length += segment;
      if (segment === FULL_SEGMENT) continue;
      if (own === serial) {
        yield joined(parts, file.subarray(from, from + length));
        parts = [];
        partsLength = 0;
      }
      from += length;
      length = 0;
    }
    if (own === serial && length > 0) {
      parts.push(file.subarray(from, from + length));
      partsLength += length;
      if (partsLength > MAX_PACKET_BYTES) return;
    }
    at = from + length;
  }
}

function isPage(file: Uint8Array, at: number): boolean {
  if (at + HEADER_BYTES > file.length) return false;
  for (let i = 0; i < CAPTURE.length; i++) if (file[at + i] !== CAPTURE.charCodeAt(i)) return false;
  return true;
}

function joined(parts: readonly Uint8Array[], last: Uint8Array): Uint8Array {
  return parts.length === 0 ? last : Buffer.concat([...parts, last]);
}
