import type { OutboundFile } from '../contract/messenger.ts';

/** How WhatsApp displays a file. `voice` is audio shown as a voice note. */
export type MediaKind = 'image' | 'video' | 'audio' | 'voice' | 'sticker' | 'document';

const KB = 1024;
const MB = 1024 * KB;

/** https://developers.facebook.com/documentation/business-messaging/whatsapp/business-phone-numbers/media */
const IMAGES: ReadonlySet<string> = new Set(['image/jpeg', 'image/png']);
const IMAGE_BYTES = 5 * MB;
const VIDEOS: ReadonlySet<string> = new Set(['video/mp4', 'video/3gpp']);
const AUDIOS: ReadonlySet<string> = new Set(['audio/aac', 'audio/amr', 'audio/mpeg', 'audio/mp4']);
const AUDIO_AND_VIDEO_BYTES = 16 * MB;
const STICKER_BYTES = 100 * KB;
const ANIMATED_STICKER_BYTES = 500 * KB;
const STICKER_PX = 512;

/** Enough of Ogg's first page: 27 bytes, a segment table, then the codec name. */
const OGG_HEAD_BYTES = 64;

/** Returns the MIME type in lower case without parameters. */
export function plainMime(mime: string): string {
  return mime.split(';')[0]!.trim().toLowerCase();
}

/**
 * Returns the kind to send a file as, `document` when no other fits. Stickers cannot have a caption, so a WebP picture
 * with a caption is sent as a document.
 */
export async function mediaKindOf(file: OutboundFile, hasCaption: boolean): Promise<MediaKind> {
  const mime = plainMime(file.mime);
  if (IMAGES.has(mime) && file.sizeBytes <= IMAGE_BYTES) return 'image';
  if (mime === 'image/webp' && !hasCaption && (await isSticker(file))) return 'sticker';
  if (file.sizeBytes > AUDIO_AND_VIDEO_BYTES) return 'document';
  if (VIDEOS.has(mime)) return 'video';
  if (AUDIOS.has(mime)) return 'audio';
  return mime === 'audio/ogg' && (await isOpus(file)) ? 'voice' : 'document';
}

/**
 * Whether a kind can have a caption. Captions of audio are dropped (specification, "Attachments array"), and stickers
 * have none.
 */
export function takesCaption(kind: MediaKind): boolean {
  return kind === 'image' || kind === 'video' || kind === 'document';
}

async function isSticker(file: OutboundFile): Promise<boolean> {
  if (file.sizeBytes > ANIMATED_STICKER_BYTES) return false;
  const shape = webpShape(await headOf(file, WEBP_HEAD_BYTES));
  if (shape?.widthPx !== STICKER_PX || shape.heightPx !== STICKER_PX) return false;
  return shape.isAnimated || file.sizeBytes <= STICKER_BYTES;
}

/** WhatsApp only plays Ogg files that contain Opus. */
async function isOpus(file: OutboundFile): Promise<boolean> {
  return (await headOf(file, OGG_HEAD_BYTES)).includes('OpusHead');
}

async function headOf(file: OutboundFile, lengthBytes: number): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for await (const part of file.open()) {
    parts.push(part);
    sizeBytes += part.length;
    if (sizeBytes >= lengthBytes) break;
  }
  return Buffer.concat(parts).subarray(0, lengthBytes);
}

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
