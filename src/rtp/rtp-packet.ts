/** Length of RTP's fixed header (RFC 3550 section 5.1). */
export const RTP_HEADER_BYTES = 12;
const VERSION = 2;
const CSRC_COUNT_MASK = 0x0f;
const SEQUENCE_MODULO = 0x1_0000;

/** One received RTP packet, read in place: `read` points it at other bytes and copies nothing. */
export class RtpPacket {
  bytes: Uint8Array = new Uint8Array(0);
  /** Start and end of the packet in `bytes`. */
  start = 0;
  end = 0;
  marker = false;
  payloadType = 0;
  sequenceNumber = 0;
  timestamp = 0;
  ssrc = 0;
  payloadOffset = 0;
  payloadLength = 0;
  #padded = false;

  /**
   * Reads header, CSRC list and extension (RFC 3550 section 5) of the bytes from `start` to `end`. Returns false when
   * they are not RTP.
   */
  read(bytes: Uint8Array, start: number, end: number): boolean {
    if (end - start < RTP_HEADER_BYTES || bytes[start]! >> 6 !== VERSION) return false;
    const offset = payloadOffset(bytes, start, end);
    if (offset > end) return false;
    this.bytes = bytes;
    this.start = start;
    this.end = end;
    this.marker = bytes[start + 1]! >> 7 === 1;
    this.payloadType = bytes[start + 1]! & 0x7f;
    this.sequenceNumber = (bytes[start + 2]! << 8) | bytes[start + 3]!;
    this.timestamp = readUint32(bytes, start + 4);
    this.ssrc = readUint32(bytes, start + 8);
    this.payloadOffset = offset;
    this.payloadLength = end - offset;
    this.#padded = (bytes[start]! & 0x20) !== 0;
    return true;
  }

  /** The first contributing source; the SSRC when the packet lists none. */
  get contributor(): number {
    const hasCsrc = (this.bytes[this.start]! & CSRC_COUNT_MASK) !== 0;
    return hasCsrc ? readUint32(this.bytes, this.start + RTP_HEADER_BYTES) : this.ssrc;
  }

  /** Removes the padding after decryption. Returns false when the padding is invalid. */
  trimPadding(): boolean {
    if (!this.#padded) return true;
    if (this.payloadLength === 0) return false;
    const padding = this.bytes[this.payloadOffset + this.payloadLength - 1]!;
    if (padding === 0 || padding > this.payloadLength) return false;
    this.payloadLength -= padding;
    return true;
  }
}

function payloadOffset(bytes: Uint8Array, start: number, end: number): number {
  const offset = start + RTP_HEADER_BYTES + (bytes[start]! & CSRC_COUNT_MASK) * 4;
  const extended = (bytes[start]! & 0x10) !== 0;
  if (!extended) return offset;
  if (offset + 4 > end) return Number.POSITIVE_INFINITY;
  const extensionWords = (bytes[offset + 2]! << 8) | bytes[offset + 3]!;
  return offset + 4 + extensionWords * 4;
}

/** Header fields that differ between packets. Sequence number and timestamp wrap. */
export interface RtpHeader {
  payloadType: number;
  marker: boolean;
  sequenceNumber: number;
  timestamp: number;
  ssrc: number;
}

/** Writes the header of a packet without CSRCs, extension or padding. */
export function writeRtpHeader(
  out: Uint8Array,
  { payloadType, marker, sequenceNumber, timestamp, ssrc }: Readonly<RtpHeader>,
): void {
  out[0] = VERSION << 6;
  out[1] = (marker ? 0x80 : 0) | payloadType;
  const sequence = sequenceNumber % SEQUENCE_MODULO;
  out[2] = sequence >> 8;
  out[3] = sequence & 0xff;
  writeUint32(out, 4, timestamp);
  writeUint32(out, 8, ssrc);
}

export function readUint32(bytes: Uint8Array, at: number): number {
  return ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0;
}

export function writeUint32(out: Uint8Array, at: number, value: number): void {
  out[at] = value >>> 24;
  out[at + 1] = value >>> 16;
  out[at + 2] = value >>> 8;
  out[at + 3] = value;
}

/** RFC 5761 section 4: when RTP and RTCP share a port, the second byte tells them apart. */
export function isRtcp(secondByte: number): boolean {
  const type = secondByte & 0x7f;
  return type >= 64 && type <= 95;
}
