/** Number of leading bytes that `webpShape` needs. */
export const WEBP_HEAD_BYTES = 30;

/** Canvas of a WebP picture in pixels, according to its first chunk. */
export interface WebpShape {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly isAnimated: boolean;
}

const ANIMATION_FLAG = 0x02;
const LOSSLESS_SIGNATURE = 0x2f;
const FOURTEEN_BITS = 0x3fff;

/** Returns undefined when the bytes are not WebP. https://developers.google.com/speed/webp/docs/riff_container */
export function webpShape(head: Buffer): WebpShape | undefined {
  if (head.length < WEBP_HEAD_BYTES) return undefined;
  if (head.toString('latin1', 0, 4) !== 'RIFF' || head.toString('latin1', 8, 12) !== 'WEBP') return undefined;
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8X':
      return {
        widthPx: head.readUIntLE(24, 3) + 1,
        heightPx: head.readUIntLE(27, 3) + 1,
        isAnimated: (head.readUInt8(20) & ANIMATION_FLAG) !== 0,
      };
    case 'VP8L':
      return losslessShape(head);
    case 'VP8 ':
      return {
        widthPx: head.readUInt16LE(26) & FOURTEEN_BITS,
        heightPx: head.readUInt16LE(28) & FOURTEEN_BITS,
        isAnimated: false,
      };
    default:
      return undefined;
  }
}

function losslessShape(head: Buffer): WebpShape | undefined {
  if (head.readUInt8(20) !== LOSSLESS_SIGNATURE) return undefined;
  const bits = head.readUInt32LE(21);
  return {
    widthPx: (bits & FOURTEEN_BITS) + 1,
    heightPx: ((bits >>> 14) & FOURTEEN_BITS) + 1,
    isAnimated: false,
  };
}
