/** Opus at Discord. */
const PAYLOAD_TYPE = 120;
const FIXED_HEADER_BYTES = 12;
const EXTENSION_HEADER_BYTES = 4;
const ONE_BYTE_EXTENSIONS = 0xbede;
const PADDING = 0x20;
const EXTENSION = 0x10;

/** One audio frame on its way through the voice server: out of the sender's transport encryption, not out of DAVE's. */
export interface MediaFrame {
  readonly ssrc: number;
  readonly sequence: number;
  /** At 48 kHz. */
  readonly timestamp: number;
  readonly bytes: Buffer;
}

/** What the header of an RTP datagram says (RFC 3550 section 5.1), before anything is decrypted. */
export interface RtpHeader {
  readonly ssrc: number;
  readonly sequence: number;
  readonly timestamp: number;
  readonly isPadded: boolean;
  /** Those in the clear: 12, and the four bytes that announce extensions. */
  readonly bytes: number;
  /** The extensions themselves are encrypted, in front of the frame. */
  readonly extensionBytes: number;
}

/** Null unless `datagram` is RTP with Opus, as a client of Discord sends it. */
export function readRtpHeader(datagram: Buffer): RtpHeader | null {
  if (datagram.length < FIXED_HEADER_BYTES + EXTENSION_HEADER_BYTES) return null;
  const flags = datagram.readUInt8(0);
  const contributors = flags & 0x0f;
  if (flags >> 6 !== 2 || contributors !== 0 || (datagram.readUInt8(1) & 0x7f) !== PAYLOAD_TYPE) return null;
  const isExtended = (flags & EXTENSION) !== 0;
  return {
    ssrc: datagram.readUInt32BE(8),
    sequence: datagram.readUInt16BE(2),
    timestamp: datagram.readUInt32BE(4),
    isPadded: (flags & PADDING) !== 0,
    bytes: FIXED_HEADER_BYTES + (isExtended ? EXTENSION_HEADER_BYTES : 0),
    extensionBytes: isExtended ? datagram.readUInt16BE(14) * 4 : 0,
  };
}

/** The frame in `plain`, the decrypted part of a datagram; null when its lengths contradict each other. */
export function readFrame(header: RtpHeader, plain: Buffer): MediaFrame | null {
  const padding = header.isPadded ? (plain.at(-1) ?? 0) : 0;
  const end = plain.length - padding;
  if (header.extensionBytes > end) return null;
  const { ssrc, sequence, timestamp } = header;
  return { ssrc, sequence, timestamp, bytes: plain.subarray(header.extensionBytes, end) };
}

/** Audio level (id 1) and the number of the packet in its transport (id 3), filled up to whole words: what clients get. */
function extensionsOf(sequence: number): Buffer {
  const extensions = Buffer.from([0x10, 0x9e, 0x31, 0, 0, 0, 0, 0]);
  extensions.writeUInt16BE(sequence, 3);
  return extensions;
}

/** Every so many packets there is padding, of another length each time. */
const PADDED_EVERY = 16;

/** The header and the text to encrypt of a datagram that carries `frame` to a client, as Discord's server sends it. */
export function writeDatagram(frame: MediaFrame): { readonly header: Buffer; readonly plain: Buffer } {
  const paddingBytes = frame.sequence % PADDED_EVERY === 0 ? 1 + ((frame.sequence / PADDED_EVERY) % 12) : 0;
  const extensions = extensionsOf(frame.sequence);
  const header = Buffer.alloc(FIXED_HEADER_BYTES + EXTENSION_HEADER_BYTES);
  header.writeUInt8(0x80 | EXTENSION | (paddingBytes > 0 ? PADDING : 0), 0);
  header.writeUInt8(PAYLOAD_TYPE, 1);
  header.writeUInt16BE(frame.sequence, 2);
  header.writeUInt32BE(frame.timestamp, 4);
  header.writeUInt32BE(frame.ssrc, 8);
  header.writeUInt16BE(ONE_BYTE_EXTENSIONS, 12);
  header.writeUInt16BE(extensions.length / 4, 14);
  const padding = Buffer.alloc(paddingBytes);
  if (paddingBytes > 0) padding.writeUInt8(paddingBytes, paddingBytes - 1);
  return { header, plain: Buffer.concat([extensions, frame.bytes, padding]) };
}
